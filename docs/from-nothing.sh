#!/bin/sh
# From nothing to a strong value network, by kept games alone: material, then generations that play, learn and play again.
#
#     sh docs/from-nothing.sh FOLDER
#
# The first network counts material. Each generation plays games with the network before it and continues it. Early ones learn much from
# the results of games, as the network's values say little; later ones from the search's values alone. No shipped network takes part: the
# policy is the static one. Every command continues what it finds, so the same command goes on after a stop. A command that a signal
# stops ends with a status that is not 0, and `set -e` ends the script before it takes a half-trained network. GAMES is the number of
# games of a generation.
set -eu
folder=${1:?"usage: sh docs/from-nothing.sh FOLDER"}
okapi=${OKAPI:-target/release/okapi}
games=${GAMES:-204800}
thesis=19x19+216x54+128x32-64
mkdir -p "$folder"

# NUMBER NODES RESULT-WEIGHT TOPOLOGY EPOCHS: games of the network before, and what that network learns from them.
generation() {
    before=$folder/$(($1 - 1)).safetensors
    [ -e "$folder/$1.safetensors" ] && return
    "$okapi" train play "$folder/games-$1" --games "$games" --nodes "$2" --seed "$1" --policy static --value-net "$before"
    "$okapi" train values "$folder/games-$1" --out "$folder/training-$1" --initial "$before" --result-weight "$3" --topology "$4" \
        --epochs "$5" --batch 16384
    cp "$folder/training-$1/net.safetensors" "$folder/$1.safetensors.part"
    mv "$folder/$1.safetensors.part" "$folder/$1.safetensors"
    echo "generation $1: $folder/$1.safetensors"
}

[ -e "$folder/0.safetensors" ] || "$okapi" train bootstrap --out "$folder/0.safetensors" --seed 1
generation 1 64 0.6 "$thesis-1" 3
generation 2 64 0.4 "$thesis-1" 3
generation 3 128 0.2 "$thesis-1" 3
generation 4 128 0.1 "$thesis+768x256-1" 3
generation 5 256 0 "$thesis+768x256-1" 3
generation 6 256 0 "$thesis+768x512-1" 4
