* Columns fixed one after the other, whose sums cancel: 0.1 + 0.2 - 0.3.
* expect: bounded
NAME fixed
ROWS
 N cost
 E ra
 E rb
 E rc
 E both
 E again
 L cap
COLUMNS
 a ra 1 both 1
 b rb 1 both 1
 c rc 1 both -1
 x both 1 again 1
 x cap 1
 y both -1 again -1
 y cap 1
RHS
 rhs ra 0.1 rb 0.2
 rhs rc 0.3 cap 8
ENDATA
