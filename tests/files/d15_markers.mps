* Integer columns between markers: those without bounds are 0 to 1, a bound makes them 0 to infinity but for it.
* expect: bounded 0:1 0:inf 2:inf 0:5 -inf:inf 0:inf 0:inf
NAME markers
ROWS
 N cost
 L most
 G least
COLUMNS
 M1 'MARKER' 'INTORG'
 plain most 1 least 1
 lower0 most 1
 lower2 most 1
 upper5 most 1
 minus most 1 least 1
 plus most 1
 M1 'MARKER' 'INTEND'
 real most 1
RHS
 rhs most 9 least -9
BOUNDS
 LO bnd lower0 0
 LO bnd lower2 2
 UP bnd upper5 5
 MI bnd minus
 PL bnd plus
ENDATA
