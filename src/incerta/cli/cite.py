"""What ``incerta --cite`` prints; the same two works as CITATION.cff."""

from incerta import __version__

CITATION = f"""\
@software{{incerta,
  title   = {{incerta: clustering data that is not exact}},
  author  = {{{{The incerta developers}}}},
  version = {{{__version__}}},
  year    = {{2026}},
}}

@inproceedings{{liu2019rpc,
  title     = {{Clustering Uncertain Data via Representative Possible Worlds with
               Consistency Learning}},
  author    = {{Liu, Han and Zhang, Xianchao and Zhang, Xiaotong and Li, Qimai and
               Wu, Xiao-Ming}},
  booktitle = {{Proceedings of the Twenty-Eighth International Joint Conference on
               Artificial Intelligence (IJCAI-19)}},
  year      = {{2019}},
}}"""
