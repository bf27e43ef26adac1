"""What runs cells: the two kernels, the bridge of the JavaScript one, forks for builds."""
