"""What bench/run measures and how it is reported."""
