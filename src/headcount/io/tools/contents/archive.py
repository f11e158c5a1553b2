"""Files in a zip archive or in a folder."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from functools import cached_property
from pathlib import Path

from headcount.errors import DataError
from headcount.io.tools.contents.parquet import guarded
from headcount.io.tools.contents.stored import LIMIT, Stored

__all__ = ["Archive"]

MOST_MEMBERS = 100_000
MOST_FILES = 10_000
_ZSTD = 93
_SKIPPED = ("__MACOSX/",)


class Archive:
    """An archive or a folder: the names of its files, and their bytes."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    @cached_property
    def names(self) -> list[str]:
        """Names of the files; [] if there are too many."""
        if not self._stored.is_folder:
            return list(self._infos) if len(self._infos) <= MOST_MEMBERS else []
        folder, found = self._stored.path, list[str]()
        for place in sorted([*folder.glob("*"), *folder.glob("*/*")]):
            if place.is_file() and not place.name.startswith("."):
                found.append(place.relative_to(folder).as_posix())
            if len(found) > MOST_FILES:
                return []
        return found

    @cached_property
    def unpacked_size(self) -> int:
        """Bytes of all files, unpacked; 0 for a folder."""
        return sum(info.file_size for info in self._infos.values())

    @cached_property
    def unpacks_slowly(self) -> bool:
        """Whether files are packed in a way that Python unpacks from 3.14 on only."""
        return any(info.compress_type == _ZSTD for info in self._infos.values())

    def member(self, name: str) -> tuple[Path, bytes | None]:
        """Return where a file is, and its bytes if it is in an archive."""
        stored = self._stored
        if stored.is_folder:
            return stored.path / name, None
        info = self._infos[name]
        if info.file_size > LIMIT:
            raise DataError(f"{stored.name}, {name}: more than {LIMIT >> 30} GB, unpacked.")
        data = self._unpacked(info)
        if data is None:
            raise DataError(f"{stored.name}: '{name}' cannot be unpacked. Export it again.")
        return Path(name), data

    @cached_property
    def _infos(self) -> dict[str, zipfile.ZipInfo]:
        """Files in an archive by name; of several of one name, the last."""
        if self._stored.is_folder:
            return {}
        try:
            with self._stored.open() as file, zipfile.ZipFile(file) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return {}
        files = (i for i in infos if i.filename and not i.is_dir())  # a damaged one has no name
        return {i.filename: i for i in files if not i.filename.startswith(_SKIPPED)}

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes | None:
        """Unpack a file of an archive; None if it is damaged, locked or packed in another way."""
        if info.flag_bits & 1 or info.header_offset < 0:
            return None
        with self._stored.open() as file:
            file.seek(info.header_offset)
            header = file.read(30)
            file.seek(sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28)), 1)
            packed = file.read(min(info.compress_size, LIMIT))
        if info.compress_type == _ZSTD:
            return _of_zstd(packed)
        try:
            inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            data = packed if info.compress_type == 0 else inflate.decompress(packed, LIMIT)
        except zlib.error:
            return None
        whole = info.compress_type in (0, zipfile.ZIP_DEFLATED) and zlib.crc32(data) == info.CRC
        return data if whole else None


def _of_zstd(packed: bytes) -> bytes:
    """Unpack what Python itself can from 3.14 on only; DuckDB can."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "member"
        place.write_bytes(packed)
        with guarded(place) as (query, name):
            found = query(
                "SELECT json FROM read_json_objects(?, compression='zstd', "
                f"format='unstructured', maximum_object_size={LIMIT})",
                [name],
            ).fetchall()
    return "\n".join(str(text) for (text,) in found).encode()
