"""Says which beds are ready to harvest. Usage: python3 harvest.py beds.csv"""

import csv
import datetime
import sys

with open(sys.argv[1]) as file:
    for bed in csv.DictReader(file):
        age = datetime.date.today() - datetime.date.fromisoformat(bed["sown"])
        if age.days > int(bed["days"]):
            print(bed["bed"])
