"""`python -m lab.bridge`."""

from lab.bridge import main

if __name__ == "__main__":
    main()
