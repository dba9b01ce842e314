/* A planar quadrotor whose policy, a network, is kept between floor and ceiling and from tipping over. Both are
 * exported C: pilot.{h,c} the network, thrust.{h,c} the region of allowed thrusts.
 *
 * The body has mass 1 kg; tilt'' = 10 (f1 - f0), x'' = -(f0 + f1) sin(tilt), z'' = (f0 + f1) cos(tilt) - g.
 * A limit h >= 0 of second order is kept by h'' + k1 h' + k0 h >= 0 (an exponential barrier; Nguyen and Sreenath,
 * 2016), with k1, k0 such that both roots are real: what begins inside, not too fast, stays inside. For z <= 5 and z >=
 * 1, with k1 = 4 and k0 = 3,
 *
 *     climb - 6 <= cos(tilt) (f0 + f1) <= climb + 6,     climb = g - 4 z' - 3 (z - 3)
 *
 * and for |tilt| <= 0.4, with k1 = 20 and k0 = 75,
 *
 *     turn - 3 <= f1 - f0 <= turn + 3,                   turn = -2 tilt' - 7.5 tilt
 *
 * Rows of the region, which moves with cos(tilt), climb and turn: thrust.region.
 *
 * flight [bare]: prints a row for each step of 2 ms; with `bare` the policy's thrusts are used as they are, but for the
 * motors' limits. The exit code is 1 when a result isn't surely inside. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pilot.h"
#include "thrust.h"

#define GRAVITY 9.81
#define STEP 0.002

typedef struct body {
    double x, z, tilt, speed, climb, spin;
} body;

static body change(const body *now, const double *thrust) {
    const double lift = thrust[0] + thrust[1];
    const body rate = {now->speed,
                       now->climb,
                       now->spin,
                       -lift * sin(now->tilt),
                       lift * cos(now->tilt) - GRAVITY,
                       10 * (thrust[1] - thrust[0])};
    return rate;
}

static body moved(const body *from, const body *rate, double time) {
    const body to = {from->x + time * rate->x,         from->z + time * rate->z,
                     from->tilt + time * rate->tilt,   from->speed + time * rate->speed,
                     from->climb + time * rate->climb, from->spin + time * rate->spin};
    return to;
}

/* Runge and Kutta's method of fourth order, the thrusts held. */
static body after(const body *now, const double *thrust, double time) {
    const body a = change(now, thrust), at_b = moved(now, &a, time / 2);
    const body b = change(&at_b, thrust), at_c = moved(now, &b, time / 2);
    const body c = change(&at_c, thrust), at_d = moved(now, &c, time);
    const body d = change(&at_d, thrust);
    body to = moved(now, &a, time / 6);
    to = moved(&to, &b, time / 3);
    to = moved(&to, &c, time / 3);
    return moved(&to, &d, time / 6);
}

static double hold(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

int main(int argc, char **argv) {
    /* Waypoints, four seconds each: some above the ceiling, some under the floor, all too far for a gentle tilt. */
    static const double ways[][2] = {{3, 3}, {-3, 6.5}, {4, 0}, {-4, 3}, {0, 7}, {3, -1}, {-3, 4}, {0, 3}};
    const int bare = argc > 1 && strcmp(argv[1], "bare") == 0;
    body now = {0, 3, 0, 0, 0, 0};
    int unsure = 0;
    puts("time,x,z,tilt,lean,climb,turn,thrust[0],thrust[1],outcome");
    for (int step = 0; step < 16000; step++) {
        const double *way = ways[step / 2000];
        const pilot_real input[PILOT_INPUTS] = {(pilot_real)hold(way[0] - now.x, -4, 4),
                                                (pilot_real)hold(way[1] - now.z, -4, 4),
                                                (pilot_real)now.tilt,
                                                (pilot_real)hold(now.speed, -4, 4),
                                                (pilot_real)now.climb,
                                                (pilot_real)now.spin};
        const thrust_real x[THRUST_PARAMETERS] = {(thrust_real)hold(cos(now.tilt), 0.9, 1),
                                                  (thrust_real)(GRAVITY - 4 * now.climb - 3 * (now.z - 3)),
                                                  (thrust_real)(-2 * now.spin - 7.5 * now.tilt)};
        pilot_real asked[PILOT_OUTPUTS];
        thrust_real origin[THRUST_OUTPUTS], v[THRUST_OUTPUTS], given[THRUST_OUTPUTS];
        (void)pilot_predict(input, asked);
        thrust_origin(x, origin);
        for (int j = 0; j < 2; j++)
            v[j] = asked[j] - origin[j];
        int outcome = thrust_contract(v, x, given);
        if (bare) {
            for (int j = 0; j < 2; j++)
                given[j] = (thrust_real)hold((double)asked[j], 0, 14);
        } else if (outcome == THRUST_OUT_OF_RANGE || thrust_check(x, given) == THRUST_OUTSIDE) {
            unsure++;
        }
        printf("%.3f,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n", step * STEP, now.x, now.z, now.tilt, (double)x[0],
               (double)x[1], (double)x[2], (double)given[0], (double)given[1], outcome);
        const double thrust[2] = {(double)given[0], (double)given[1]};
        now = after(&now, thrust, STEP);
    }
    if (unsure != 0)
        fprintf(stderr, "%d steps without a certain result\n", unsure);
    return unsure != 0;
}
