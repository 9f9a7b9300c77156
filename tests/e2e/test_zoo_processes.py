"""The zoo's fast subset in two processes on one store: the second translates nothing, and asks at most twice a frame."""
import pytest
import zoo_processes

MOST_ROUND_TRIPS = 2   # a frame


@pytest.mark.needs_torch
def test_the_second_process_translates_nothing(place):
    names = zoo_processes.beginning_with([], quick=True)
    for number in (1, 2):
        rows = zoo_processes.run(place, names)
        print(f"process {number}\n{zoo_processes.table(rows)}\n")   # pytest shows it where this fails, and with -s
    wrong = [f"{row['model']} {row['mode']}: {why}" for row in rows if (why := _what_is_wrong(row))]
    assert not wrong, "\n".join(wrong)
    assert len({row["model"] for row in rows}) == len(names)


def _what_is_wrong(row: dict) -> str:
    if row["wrong"]:
        return row["wrong"]
    if row["fallbacks"] or row["refused_entries"]:
        return f"{row['fallbacks']} fallbacks, {row['refused_entries']} refused entries"
    if row["translations"]:
        return f"{row['translations']} translations"
    if row["round_trips"] > MOST_ROUND_TRIPS * row["frames"]:
        return f"{row['round_trips']} round trips for {row['frames']} frames"
    return ""
