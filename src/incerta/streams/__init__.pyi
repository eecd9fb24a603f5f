from ._umicro import UMicro

__all__ = ["UMicro"]
