"""The service killed and stopped: real processes on a data folder, and players who come back to what they had seen."""
