"""`python -m lab.kernels.bridge`."""

from lab.kernels.bridge import main

if __name__ == "__main__":
    main()
