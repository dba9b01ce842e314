#!/bin/bash
# Under mpirun processes train together: any number of them gives the bytes of the model that one process gives with as many shares,
# also where one of them was killed, and others went on.
. "$(dirname "$0")/../cli/harness.bash"
. "$(dirname "$0")/job.bash"

awk 'BEGIN { srand(3); print "a,b,c"; for (i = 0; i < 301; i++) printf "%.6f,%.6f,%.6f\n", rand(), rand(), rand() }' >x.csv
awk 'BEGIN { srand(4); print "y[0],y[1]"; for (i = 0; i < 301; i++) printf "%.6f,%.6f\n", 2 * rand() - 0.6, 2 * rand() - 0.6 }' >y.csv
cat >disc.region <<'END'
var y[2]
norm(y) <= 1
y[0] + y[1] >= -0.5
END
cat >mean.region <<'END'
var y[2]
norm(y) <= 1
origin = mean
END
cat >cap.region <<'END'
var y[2]
param cap in [0.5, 3]
y >= -1
sum(y) <= cap
END
awk 'BEGIN { srand(6); print "cap"; for (i = 0; i < 301; i++) printf "%.6f\n", 1 + 2 * rand() }' >caps.csv
cat >star.region <<'END'
var y[2]
abs(y) <= 1
except y[0] + y[1] >= 1
END

# together NUMBERS REGION OPTIONS…
together() {
    local numbers=$1 region=$2
    shift 2
    run fit "$region" x.csv y.csv --quiet --epochs 4 --shares 8 "$@" -o alone
    same "alone: $*" 0 "$code"
    [ "$code" -eq 0 ] || echo "$messages"
    for processes in $numbers; do
        job "$processes" fit "$region" x.csv y.csv --quiet --epochs 4 "$@" -o together
        same "$processes processes: $*" "0 " "$code $messages"
        cmp alone together || fail "$processes processes train another model: $*"
        [ "$(ls together* | wc -l)" -eq 1 ] || fail "something is left behind" "$(ls together*)"
        rm -f together*
    done
}
together "1 2 3 4" disc.region --head hcr --hidden 8
together "2" mean.region --encoder lstm --hidden 5 --head hcr-contract --clip 0.1
together "3" disc.region --head hcr-direct --batch 7 --validation 0.3 --patience 2 --rate-decay 0.9
together "4" disc.region --head simple --ascent 3 --validation 0.1
together "2" cap.region --parameters caps.csv --head hcr-soften
together "3" star.region --head hcr-direct --batch 3
together "1 5" disc.region --batch 1000 --shares 13

# The report is that of one process, but for the time.
run fit disc.region x.csv y.csv --epochs 3 --shares 8 --validation 0.2 -o alone
wanted=$(grep -v '^time' <<<"$output")
job 4 fit disc.region x.csv y.csv --epochs 3 --validation 0.2 -o together
same "the report" "$wanted" "$(grep -v '^time' <<<"$output")"

# One share is what there is without --shares.
run fit disc.region x.csv y.csv --epochs 3 --quiet --shares 1 -o one
run fit disc.region x.csv y.csv --epochs 3 --quiet -o plain
cmp one plain || fail "--shares 1 gives another model"

# Refused, once.
job 3 fit disc.region x.csv y.csv --shares 2 -o none
same "too few shares" 2 "$code"
says "$messages" "3 processes need as many shares"
sed '40s/^[^,]*/nan/' x.csv >bad.csv
job 3 fit disc.region bad.csv y.csv -o none
same "bad data" 3 "$code"
same "told once" 1 "$(wc -l <<<"$messages")"
job 2 fit disc.region x.csv y.csv -o nowhere/none
same "no such folder" 4 "$code"
same "told once" 1 "$(wc -l <<<"$messages")"
absent none
rm -f none.checkpoint

# One process is killed at a random moment: the job ends, mpirun says so, the checkpoint goes on with another number of processes.
options=(disc.region x.csv y.csv --quiet --encoder lstm --hidden 8 --head hcr-contract --seed 9)
RANDOM=11
rounds=${HCR_LONG:+20}
kills=0
for ((round = 0; round < ${rounds:-3}; round++)); do
    rm -f broken*
    mpirun --oversubscribe -n $((2 + round % 3)) "$hcr" fit "${options[@]}" --epochs 100000 -o broken >/dev/null 2>messages &
    mpirun=$!
    for ((wait = 0; wait < 600; wait++)); do
        [ ! -e broken.checkpoint ] || break
        sleep 0.05
    done
    sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
    ranks=($(pgrep -P "$mpirun" -x hcr))
    kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}" && kills=$((kills + 1))
    wait "$mpirun" && fail "a process was killed, and the job says that it is done"
    says "$(cat messages)" 'exited on signal 9|signal 9 \(Killed\)'
    exists broken.checkpoint
    absent broken
    # Two epochs more than were done, and the same without interruption.
    epochs=$(($(sed -n '1s/.*"epoch":"\([0-9]*\)".*/\1/p' <(head -c 4000 broken.checkpoint | tr -d '\n' | strings -n 20)) + 2))
    job $((1 + (round + 1) % 4)) fit "${options[@]}" --epochs "$epochs" --resume -o broken
    same "resumed" "0 " "$code $messages"
    absent broken.checkpoint
    job 2 fit "${options[@]}" --epochs "$epochs" -o whole
    cmp broken whole || fail "killed, resumed: another model after $epochs epochs"
done
echo "$kills kills"
finish
