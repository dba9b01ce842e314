* The lines of a column stand apart.
* expect: bounded 0:3 0:2
NAME apart
ROWS
 N cost
 L one
 L two
COLUMNS
 a one 1
 b one 1
 a two 1
 b two 2
RHS
 rhs one 3 two 4
ENDATA
