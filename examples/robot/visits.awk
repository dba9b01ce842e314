# Where robots were sent, as a log has it: five stations' queues and the position. Numbers come from the generator
# x <- 16807 x mod 2^31 - 1 (Park and Miller, 1988), so that every awk gives the same.
# awk -v rows=2000 -v seed=1 -v queues=x.csv -v positions=y.csv -f visits.awk
function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
BEGIN {
    state = 1000 + seed
    for (i = 0; i < 20; i++) uniform()
    stations = split("1.2 5.0 8.6 4.9 1.2 1.2 13.2 4.0 6.0 1.0", at, " ") / 2
    print "press,paint,assembly,store,test" > queues
    print "x,y" > positions
    for (row = 0; row < rows; row++) {
        best = 1; most = -1; line = ""
        for (k = 1; k <= stations; k++) {
            queue = int(10 * uniform() * uniform() + 0.5)
            line = line (k > 1 ? "," : "") queue
            urgency = queue + 0.7 * normal()
            if (urgency > most) { most = urgency; best = k }
        }
        print line > queues
        printf "%.3f,%.3f\n", at[2 * best - 1] + 0.15 * normal(), at[2 * best] + 0.15 * normal() > positions
    }
}
