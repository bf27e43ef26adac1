"""The programs that run cells: two kernels, the bridge of the JavaScript kernel, and forks."""
