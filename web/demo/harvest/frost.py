"""Says which beds to cover before a frost. Usage: python3 frost.py beds.csv DEGREES"""

import csv
import sys

HARDY = ["leeks", "lamb's lettuce", "winter peas"]


def main():
    if float(sys.argv[2]) > 0:
        return
    with open(sys.argv[1]) as file:
        for bed in csv.DictReader(file):
            if bed["plant"] not in HARDY:
                print("Cover bed", bed["bed"] + ":", bed["plant"])


if __name__ == "__main__":
    main()
