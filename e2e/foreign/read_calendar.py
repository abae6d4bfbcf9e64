"""Reads a calendar with the library icalendar and prints it as JSON.

usage: read_calendar.py < FILE

It fails if the library finds anything wrong with the file, and if what it would write
itself says something else.
"""

import json
import sys

from icalendar import Calendar
from icalendar.parser import unescape_backslash


def read(data):
    calendars = Calendar.from_ical(data, multiple=True)
    if len(calendars) != 1:
        sys.exit(f"{len(calendars)} calendars")
    calendar = calendars[0]
    components = list(calendar.walk())
    errors = [e for c in components for e in c.errors]
    missing = [(c.name, p) for c in components for p in c.required if p not in c]
    if errors or missing or not calendar.subcomponents:
        sys.exit(f"errors {errors}, missing {missing}, {len(calendar.subcomponents)} components")
    return calendar


def event(e):
    return {
        "uid": str(e["UID"]),
        "sequence": int(e["SEQUENCE"]),
        "stamp": e.DTSTAMP.isoformat(),
        "start": e.start.isoformat(),
        "days": e.duration.days,
        "summary": str(e["SUMMARY"]),
        "description": str(e.get("DESCRIPTION", "")),
    }


def name(calendar):
    # It is a text (RFC 7986), which the library does not know.
    return unescape_backslash(str(calendar["NAME"]))


def facts(calendar):
    return {"name": name(calendar), "events": [event(e) for e in calendar.walk("VEVENT")]}


calendar = read(sys.stdin.buffer.read())
said = facts(calendar)
if facts(read(calendar.to_ical())) != said:
    sys.exit("written again, it says something else")
json.dump(said, sys.stdout)
