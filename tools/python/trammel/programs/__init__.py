"""What the program `trammel` does for the package: comparisons, sweeps, pages and pictures."""
