# States of a planar quadrotor and the thrusts that an eager pilot gives there, who knows neither floor nor ceiling nor motors: what a
# policy is trained on. Numbers come from the generator x <- 16807 x mod 2^31 - 1 (Park and Miller, 1988), so that every awk gives the
# same. awk -v rows=4000 -v seed=1 -v states=x.csv -v thrusts=y.csv -f lessons.awk
function uniform(low, high) { state = (16807 * state) % 2147483647; return low + (high - low) * state / 2147483647 }
BEGIN {
    state = 1000 + seed
    for (i = 0; i < 20; i++) uniform(0, 1)
    print "ahead,above,tilt,speed,climb,spin" > states
    print "thrust[0],thrust[1]" > thrusts
    for (row = 0; row < rows; row++) {
        ahead = uniform(-4, 4); above = uniform(-4, 4); tilt = uniform(-0.5, 0.5)
        speed = uniform(-4, 4); climb = uniform(-4, 4); spin = uniform(-4, 4)
        lift = (9.81 + 6 * above - 3 * climb) / cos(tilt)      # towards the waypoint, with all haste
        wanted = -(1.6 * ahead - 1.8 * speed) / 9.81
        turn = (60 * (wanted - tilt) - 14 * spin) / 10
        printf "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", ahead, above, tilt, speed, climb, spin > states
        printf "%.6f,%.6f\n", (lift - turn) / 2, (lift + turn) / 2 > thrusts
    }
}
