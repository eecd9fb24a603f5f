"""Ways to damage bytes."""

import random
import struct
from collections.abc import Callable

# Numbers at which sizes, counts and offsets of headers go wrong.
EXTREMES = (0, 1, 2, 7, 8, 127, 128, 255, 256, 2**15, 2**16, 2**31, 2**32, 2**40, 2**63)
WORDS = (b"", b"0", b"-1", b"1e308", b"nan", b"4294967295", b"9" * 30, b"\0", b"\n\n")
FEW = 16  # bytes of a splice or a repeat, mostly


def flip_bits(content: bytes, rng: random.Random) -> bytes:
    """Turn one to eight bits round."""
    out = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        place = rng.randrange(len(out))
        out[place] ^= 1 << rng.randrange(8)
    return bytes(out)


def change_byte(content: bytes, rng: random.Random) -> bytes:
    """Put another byte in place of one."""
    place = rng.randrange(len(content))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def cut(content: bytes, rng: random.Random) -> bytes:
    """Leave out the end, the beginning or a part between."""
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    how = rng.randrange(4)
    if how == 0:
        return content[:begin]
    if how == 1:
        return content[begin:]
    if how == 2:
        end = min(len(content), begin + rng.randrange(1, FEW))
    return content[:begin] + content[end:]


def splice(content: bytes, rng: random.Random) -> bytes:
    """Put a part where another is."""
    size = rng.choice((1, 4, 8, rng.randrange(1, FEW), rng.randrange(1, 2048)))
    begin, place = (rng.randrange(len(content)) for _ in range(2))
    part = content[begin : begin + size]
    kept = place + len(part) if rng.random() < 0.7 else place
    return content[:place] + part + content[kept:]


def repeat(content: bytes, rng: random.Random) -> bytes:
    """Write a part several times."""
    begin = rng.randrange(len(content))
    size = rng.choice((1, rng.randrange(1, FEW), rng.randrange(1, 1024)))
    times = rng.choice((2, 3, 10, 100))
    part = content[begin : begin + size]
    return content[:begin] + part * times + content[begin + size :]


def extreme_number(content: bytes, rng: random.Random) -> bytes:
    """Put an extreme number where any is."""
    number = rng.choice(EXTREMES) + rng.choice((-1, 0, 0, 1))
    number = -number if rng.random() < 0.3 else number
    size = rng.choice((1, 2, 4, 8))
    order = rng.choice("<<<>")
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[size]
    part = struct.pack(order + code, number % 2 ** (8 * size))
    step = rng.choice((1, size))
    place = rng.randrange(len(content)) // step * step
    return content[:place] + part + content[place + size :]


def word_in_place(content: bytes, rng: random.Random) -> bytes:
    """Put a word where digits are, as in headers of text."""
    digits = [i for i, byte in enumerate(content) if chr(byte).isdecimal()]
    if not digits:
        return flip_bits(content, rng)
    begin = end = rng.choice(digits)
    while end < len(content) and chr(content[end]).isdecimal():
        end += 1
    return content[:begin] + rng.choice(WORDS) + content[end:]


WAYS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "bits flipped": flip_bits,
    "a byte changed": change_byte,
    "cut": cut,
    "spliced": splice,
    "repeated": repeat,
    "an extreme number": extreme_number,
    "a word in place of digits": word_in_place,
}


def damaged(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Damage some bytes in one way, or several.

    Parameters
    ----------
    content : bytes
        Not empty.
    rng : random.Random
        Decides how.

    Returns
    -------
    content : bytes
    told : str
        What was done.
    """
    told = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name = rng.choice(list(WAYS))
        content = WAYS[name](content, rng) or b"\0"
        told.append(name)
    return content, ", ".join(told)
