"""HTTP requests to a model hub: whom the token goes to, where a redirect may lead, what an answer means."""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.parse
import urllib.request
from types import TracebackType
from typing import IO, Any

from claimlight.errors import InputError, ResourceError

_TIMEOUT = 30.0
"""Seconds without a byte."""
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


class Interrupted(Exception):  # noqa: N818 - a condition that is tried again, not an error of the tree
    """The connection failed in a way that may pass."""


class NoSuchPiece(Interrupted):
    """What is there already is more than the server has."""


class Answer:
    """The body of an answer."""

    def __init__(self, response: Any, start: int) -> None:
        self._response = response
        self.goes_on = start > 0 and _starts_at(response, start)
        """Whether the body begins at the asked byte and not at the first one."""

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes, empty at the end; raises `Interrupted`."""
        try:
            data: bytes = self._response.read(size)
        except (OSError, http.client.HTTPException) as error:
            raise Interrupted(str(error) or type(error).__name__) from error
        return data

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._response.close()


class Connection:
    """Requests to one hub."""

    def __init__(self, endpoint: str, *, proxy: str, token: str) -> None:
        self._home = _origin(endpoint)
        self._token = token if _is_private(endpoint) else ""
        # Put together by hand: the usual one opens files and FTP as well.
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            _proxies(proxy),
            _Redirects(self),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
        ):
            self._opener.add_handler(handler)

    def open(self, url: str, *, start: int = 0) -> Answer:
        """The answer for ``url`` from byte ``start`` on, where the server can do that.

        Raises `Interrupted` for what may pass, `InputError` for what the user must change, `ResourceError`
        for the rest.
        """
        request = self.request(url)
        if start:
            request.add_header("Range", f"bytes={start}-")
        try:
            return Answer(self._opener.open(request, timeout=_TIMEOUT), start)
        except urllib.error.HTTPError as error:
            error.close()
            raise self._refused(error, url, start) from error
        except urllib.error.URLError as error:
            raise Interrupted(f"{urllib.parse.urlsplit(url).netloc}: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise Interrupted(str(error) or type(error).__name__) from error

    def request(self, url: str) -> urllib.request.Request:
        """A request that carries the token to the hub itself and to nobody else."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise InputError(f"{url} is no address of a model hub, which begins with https://")
        request = urllib.request.Request(url, headers={"User-Agent": "claimlight"})  # noqa: S310 - checked above
        if self._token and _origin(url) == self._home:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        return request

    def _refused(self, error: urllib.error.HTTPError, url: str, start: int) -> Exception:
        where = urllib.parse.urlsplit(url)
        if error.code in (401, 403):
            return InputError(
                f"{where.netloc} does not give {where.path} to you ({error.code}): it may not exist, or its "
                "makers ask you to agree on its page. Put your token into the variable HF_TOKEN."
            )
        if error.code == 404:
            return InputError(f"{where.netloc} has no {where.path}; see that name and revision are right")
        if error.code == 416 and start:
            return NoSuchPiece("the server has no such piece")
        if error.code in _PASSING:
            return Interrupted(f"{where.netloc} answers {error.code}")
        return ResourceError(f"{where.netloc} answers {error.code} {error.reason} for {where.path}")


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects within the web, never from an encrypted address to an open one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def redirect_request(  # noqa: PLR0913, RUF100 - the signature is urllib's
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        old, new = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if new.scheme not in ("http", "https") or (old.scheme, new.scheme) == ("https", "http"):
            raise ResourceError(f"{old.netloc} refers to {new.scheme}://{new.netloc}, which is not followed")
        found = super().redirect_request(req, fp, code, msg, headers, newurl)
        if found is None:
            return None
        asked = self._connection.request(newurl)
        if req.has_header("Range"):
            asked.add_header("Range", str(req.get_header("Range")))
        return asked


def _proxies(proxy: str) -> urllib.request.ProxyHandler:
    if not proxy:
        return urllib.request.ProxyHandler()
    if proxy == "none":
        return urllib.request.ProxyHandler({})
    if urllib.parse.urlsplit(proxy).scheme not in ("http", "https"):
        raise InputError(f"hub.proxy: {proxy!r} is no address of a proxy, which is like http://proxy:3128")
    return urllib.request.ProxyHandler({"http": proxy, "https": proxy})


def _origin(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _is_private(url: str) -> bool:
    """Whether nobody on the way can read what is sent."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme == "https" or parts.hostname in _LOOPBACK


def _starts_at(response: Any, start: int) -> bool:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return response.status == 206 and found is not None and int(found[1]) == start
