from ._sliding import SlidingUMicro
from ._stream_rpc import StreamRPC
from ._umicro import UMicro

__all__ = ["SlidingUMicro", "StreamRPC", "UMicro"]
