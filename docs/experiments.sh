# What the commands of docs/commands.csv share. Each command reads this file first, in the root of a checkout:
#
#     . docs/experiments.sh
#
# The commands use the options of commit 414ac03. They write to runs/ and build to target/programs.
# DATA is described in MEASUREMENTS.md; OKAPI names another program than the release build.

DATA=${DATA:-../shared/data}
TABLES=${TABLES:-target/ci-syzygy/chess-1.11.2/data/syzygy/regular}
okapi=${OKAPI:-target/release/okapi}
STS=$DATA/sts/STS1-STS15_LAN_v3.epd
WAC=$DATA/suites/wac.epd
TCEC=$DATA/games/tcec.pgn.zst
OPENINGS=$DATA/openings/balanced-3moves-20k.epd
BOOK="--openings $OPENINGS --order random"
ADJUDICATE="--adjudicate-win score=800 moves=4 --adjudicate-draw score=15 moves=8 from=40"
STOCKFISH="cmd=stockfish name=stockfish option.Hash=16 option.Threads=1"
TOGA="cmd=toga2 name=toga2 option.Hash=16 option.OwnBook=false"
GLAURUNG="cmd=glaurung name=glaurung option.Hash=16 option.OwnBook=false option.Threads=1"
GNUCHESS="cmd='gnuchess --uci' name=gnuchess option.Hash=16 option.OwnBook=false"
mkdir -p runs

# program COMMIT ["PATCH..."] [FEATURE]: builds the program of a commit, with patches below docs/ of commit 414ac03 (options of
# `git apply` stand before the patch that they are for), and prints its path. A program that is there is not built again.
program() (
    set -e
    name=$(echo "$1 $2 $3" | sed 's/--exclude=[^ ]*//g' | tr -cs 'a-z0-9' '_')
    folder=target/programs/$name
    if [ ! -x "$folder/okapi" ]; then
        rm -rf "$folder" && mkdir -p "$folder/source"
        git archive "$1" | tar xf - -C "$folder/source"
        options=
        for word in $2; do
            case $word in
                --*) options="$options $word" ;;
                *) git show "414ac03:docs/$word" | git apply --directory="$folder/source" $options || exit 1; options= ;;
            esac
        done
        (cd "$folder/source" && cargo build --quiet --release --locked ${3:+--features "$3"} --target-dir ../target) >&2
        cp "$folder/target/release/okapi" "$folder/okapi"
    fi
    echo "$folder/okapi"
)

# league_arm "KEY = VALUE;KEY = VALUE" SEED: the league of docs/knightcap.toml with other values, in the folder $arm_folder.
league_arm() {
    arm_folder=runs/league_$(echo "$1 $2" | tr -cs 'a-zA-Z0-9' '_')
    keys=$(echo "$1;seed = $2" | tr ';' '\n')
    changed=$(echo "$keys" | sed 's/ =.*//' | paste -sd '|' -)
    { echo "$keys" && grep -vE "^($changed) =" docs/knightcap.toml; } > "$arm_folder.toml"
    $okapi league "$arm_folder" --config "$arm_folder.toml"
}
