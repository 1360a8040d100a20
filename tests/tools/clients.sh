#!/usr/bin/env bash
# Okapi in real clients, by hand and nightly: XBoard through PolyGlot, the analysis page in a headless browser, and lichess-bot's
# own tests if LICHESS_BOT names its checkout.
#
#     bash tests/tools/clients.sh [target/release/okapi]
#
# Needs Debian's xboard, polyglot, xvfb, chromium and python3. The last line is `N passed, M failed`.
set -uo pipefail
cd "$(dirname "$0")/../.."
engine=$(realpath "${1:-target/release/okapi}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PATH="$PATH:/usr/games"
passed=0 failed=0

report() {
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "ok      $2"; else failed=$((failed + 1)); echo "FAILED  $2"; fi
}

# Two games of Okapi against itself; every game must end by the rules, in a mate, a draw or a flag that nobody lost.
xboard_plays() {
    printf '[PolyGlot]\nEngineCommand = %s\nEngineName = Okapi\nLog = true\nLogFile = %s/polyglot.log\n[Engine]\nHash = 16\n' \
        "$engine" "$folder" > "$folder/okapi.ini"
    timeout 200 xvfb-run -a xboard -fcp "polyglot okapi.ini" -fd "$folder" -scp "polyglot okapi.ini" -sd "$folder" \
        -matchGames 2 -timeControl 0:03 -timeIncrement 0.05 -saveGameFile "$folder/games.pgn" > "$folder/xboard.log" 2>&1
    [ "$(grep -c '^\[Result "\(1-0\|0-1\|1/2-1/2\)"\]' "$folder/games.pgn")" = 2 ] || return 1
    ! grep -qiE 'illegal|forfeit|exited|not responding' "$folder/games.pgn"
}

# A page is made of a game, opened, stepped through by keys and clicks; its own script then writes what it shows into the title.
page_steps() {
    printf '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n' > "$folder/game.pgn"
    "$engine" analyse "$folder/game.pgn" --nodes 2000 --html "$folder/pages" || return 1
    cat "$folder/pages/1.html" - > "$folder/driven.html" <<'SCRIPT'
<script>
const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
const seen = [];
const note = () => seen.push(`${now}:${document.querySelectorAll("#board text[font-size='44']").length}`);
note(); key("ArrowRight"); key("ArrowRight"); note(); key("End"); note(); key("Home"); note(); key("f"); note();
document.querySelector("#turning button").click(); note();
document.querySelector("#moves b[data-ply='3']").click(); note();
document.title = `${seen.join(" ")} ${document.querySelectorAll("#opinions tr").length} ${byId("says").textContent}`;
</script>
SCRIPT
    chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom "file://$folder/driven.html" \
        2> "$folder/chromium.log" > "$folder/dom.html"
    local title
    title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$folder/dom.html" | head -n 1)
    echo "        $title"
    [[ "$title" == "0:32 2:32 4:32 0:32 0:32 2:32 4:32 0 The game is over: 0-1"* ]]
}

lichess_bot() {
    [ -d "$LICHESS_BOT" ] || return 1
    (cd "$LICHESS_BOT" && python3 -m pytest -q test_bot)
}

xboard_plays; report $? "XBoard through PolyGlot"
page_steps; report $? "the analysis page in a browser"
if [ -n "${LICHESS_BOT:-}" ]; then lichess_bot; report $? "lichess-bot"; else echo "left out: lichess-bot (set LICHESS_BOT to its checkout)"; fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
