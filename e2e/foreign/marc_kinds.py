"""Prints the kind of each record on the standard input, as leader and 008 say by pymarc: marc_kinds.py [RECORDS]."""
import itertools
import sys

from pymarc import MARCReader

KINDS = {"c": "music", "d": "music", "j": "music", "i": "audio", "e": "map", "f": "map", "g": "film"}
OBJECTS = {"g": "game", "r": "device"}


def kind(record):
    material, level = record.leader[6], record.leader[7]
    if material in "at":
        return "magazine" if level in "bis" else "book"
    if material == "r":
        fixed = record.get("008")
        return OBJECTS.get((fixed.data if fixed else "")[33:34], "other")
    return KINDS.get(material, "other")


records = MARCReader(sys.stdin.buffer, to_unicode=True, utf8_handling="replace", permissive=True)
for read in itertools.islice(records, *map(int, sys.argv[1:2])):
    print(kind(read) if read else "broken")
