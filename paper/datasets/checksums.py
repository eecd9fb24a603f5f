"""sha256 of the files of a data folder (INCERTA_DATA)."""

CHECKSUMS = {
    "ecoli.csv.gz": "0a25aa6fc48e3605f11674ff7e1b99294cf65160c97e660cf15ca79ed06d6e8e",
    "image.csv.gz": "a00a2bde350fc7a6d86db2a9c0957ba4731407717ab8b1282141263f8b4827ea",
    "libras.csv.gz": "408f0a2ccf185225155df2cfee12da58c9c747e5abc3dd912492011dadaa9e2e",
    "usps929.csv.gz": (
        "81c95fa8553431e4c47f3491729c9a782f45702b67d612af61de3ad0224969b0"
    ),
    "usps929_rows.csv.gz": (
        "17b8ff061c59a4108eca7c152e10b075fa27a60d2c5426e288eaa94c3b3b4795"
    ),
    "usps_full.npz": "1844d980b3550c8765a60467957db6b09811ad0ef1598515981196f6ee269806",
    "waveform.csv.gz": (
        "be179ecbf3662e190b278c0f683ed653bcb297429fd0b937a326994147c674d3"
    ),
    "movement.csv.gz": (
        "daca6f6af75a28ee5e6aabb882806fbe81a6ca69bf8b2123f6f15ad14ea1c508"
    ),
    "movement_objects.csv.gz": (
        "f1a7b7ee31b4585a5ff19e4f01961a4cfd73d8309697664793d9a7b1d272c676"
    ),
    "nba.csv.gz": "11c4181542105e7314496db029dc63067f1bb83c62f2fa1d744241cd17777c1c",
    "nba_objects.csv.gz": (
        "c34257adbedf3127ae092f4394199ab428f97019bb76fa0dbe3234225c0d5f71"
    ),
    "kepler_koi_gauss.csv.gz": (
        "6a35980b63bf6eb35d3b0799f68ca0803e7ec4c6cef99843c7c70047e1d768a2"
    ),
    "kepler_koi600_draws.csv.gz": (
        "a66ffc45db20a3d2ff50db5f8148a9b25c4d3de2d6a1b68c671e529402eb9d05"
    ),
    "kepler_koi600_objects.csv.gz": (
        "81e6394a56e0f9f5c1a2cfafa87d15299e35d6af13b513505ede924807e2e5b2"
    ),
}
