"""Questions that a model answers: accuracy, diagnosis, linearization, inverse dynamics, modes, joint coordinates."""
