* Semi-integer bounds: 0, or an integer up to the bound; what is between them too.
* expect: bounded 0:5 0:6 0:9
NAME semi
ROWS
 N cost
 L r
COLUMNS
 a r 1
 b r 1
 c r 1
RHS
 rhs r 9
BOUNDS
 SI bnd a 5
 SC bnd b 6
 LO bnd b 2
 SI bnd c 1e30
ENDATA
