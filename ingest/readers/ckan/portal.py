"""Reads a live CKAN portal page by page; never a row.

What its package_search finds is asked for, and the fields of each resource that its DataStore has.
A page that fails is asked for again a bounded number of times, then reported and passed over; after
MOST_FAILURES in a row the portal is given up. Packages that move between pages come once.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import random

import httpx2

from ingest.readers.ckan.package import resource_id, tables_of_package
from ingest.readers.ckan.portal_request import PortalFailed, PortalRequest
from ingest.readers.row import Notice, ReadItem, ReadOrNotice, Row
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable

SEARCH = "/api/3/action/package_search"
FIELDS = "datastore_search"
PAGE_PACKAGES = 100
MOST_FAILURES = 3
TIMEOUT_S = 60.0
_OUR_PARAMETERS = ("rows", "start")
_NAMING_PARAMETERS = ("q", "fq", "fq_list")  # what was asked for; others may be secrets


@dataclass(frozen=True, slots=True)
class Portal:
    """A portal that answered.

    `action` is the address of its actions; `parameters` are the search's own; `name` says the
    address and what is searched for, without user and password, which are in `login`.
    """

    action: str
    parameters: Mapping[str, str] = field(repr=False)
    name: str
    login: tuple[str, str] | None = field(repr=False)
    sleep: Callable[[float], None] = field(repr=False)


def open_portal(source: str, sleep: Callable[[float], None] = time.sleep) -> Portal:
    """Return the portal at an http(s) address, of its package_search or of the portal itself.

    Raises:
        SourceUnreadable: nothing answers there, or no CKAN.
    """
    try:
        url = httpx2.URL(source)
    except (httpx2.InvalidURL, ValueError):
        remedy = "Write it as https://HOST/api/3/action/package_search."
        raise SourceUnreadable("The address", "It is no valid address", remedy) from None
    action, _, last = url.path.rpartition("/")
    if last != "package_search":
        action = (url.path.rstrip("/") + SEARCH).rpartition("/")[0]
    base = url.copy_with(path=action, query=None, userinfo=b"")
    parameters = {key: value for key, value in url.params.items() if key not in _OUR_PARAMETERS}
    naming = {key: parameters[key] for key in _NAMING_PARAMETERS if key in parameters}
    login = (url.username, url.password) if url.username else None
    shown = base.copy_with(path=f"{action}/package_search", params=naming or None)
    portal = Portal(str(base).rstrip("/"), parameters, str(shown), login, sleep)
    try:
        with _client(portal) as client:
            _page(portal, PortalRequest(client, sleep, random), 0, 0)
    except PortalFailed as failure:
        raise SourceUnreadable(portal.name, failure.problem, failure.remedy) from None
    return portal


def read_portal(portal: Portal) -> Iterator[ReadOrNotice]:
    """Yield the tables of a portal in the order of its packages' names."""
    with _client(portal) as client:
        request = PortalRequest(client, portal.sleep, random)
        dictionaries = _Dictionaries(portal, request)
        yield from _unique(_read_pages(portal, request, dictionaries))
        if dictionaries.given_up:
            text = (
                "Its DataStore does not answer; some tables have no columns. Read it again later."
            )
            yield Notice(portal.name, text)


def _read_pages(
    portal: Portal, request: PortalRequest, dictionaries: "_Dictionaries"
) -> Iterator[ReadItem]:
    start, failures = 0, 0
    while failures < MOST_FAILURES:
        try:
            count, packages = _page(portal, request, start, PAGE_PACKAGES)
        except PortalFailed as failure:
            failures += 1
            last = start + PAGE_PACKAGES
            problem = f"Packages {start + 1} to {last}: {failure.problem}"
            yield Rejected(portal.name, None, problem, failure.remedy)
            start = last
            continue
        failures = 0
        for package in packages:
            dictionaries.add_to(package)
            yield from tables_of_package(portal.name, None, partial(_same, package))
        start += len(packages)  # a portal may give fewer than were asked for
        if not packages or start >= count:
            return


def _same(package: object) -> object:
    return package


def _unique(items: Iterator[ReadItem]) -> Iterator[ReadItem]:
    """Pass on each table once: a package that is changed meanwhile may stand on two pages."""
    met: set[str] = set()
    for item in items:
        if isinstance(item, Row):
            if item.table.table_id in met:
                continue
            met.add(item.table.table_id)
        yield item


def _page(
    portal: Portal, request: PortalRequest, start: int, rows: int
) -> tuple[int, list[object]]:
    """Return how many packages there are, and some of them."""
    paging = {"sort": "name asc", **portal.parameters, "start": str(start), "rows": str(rows)}
    result = request.result(f"{portal.action}/package_search", paging)
    packages, count = result.get("results"), result.get("count")
    if not isinstance(packages, list) or not isinstance(count, int):
        remedy = "Name the address of its package_search."
        raise PortalFailed("The answer is not that of a CKAN package_search", remedy)
    return count, packages


def _client(portal: Portal) -> httpx2.Client:
    return httpx2.Client(
        auth=portal.login,
        headers={"User-Agent": "polaris-search"},
        timeout=TIMEOUT_S,
        follow_redirects=True,  # portals move their paths; credentials stay with their host
        mounts={"all://localhost": None, "all://127.0.0.1": None},  # no proxy to this machine
    )


class _Dictionaries:
    """Adds the fields of DataStore tables to resources, until the portal fails at them."""

    def __init__(self, portal: Portal, request: PortalRequest) -> None:
        self._action = portal.action
        self._request = request
        self._failures = 0

    @property
    def given_up(self) -> bool:
        """Whether it was asked for no more fields, having failed too often."""
        return self._failures >= MOST_FAILURES

    def add_to(self, package: object) -> None:
        """Ask for what the package's resources say the DataStore has of them."""
        resources = package.get("resources") if isinstance(package, dict) else None
        for resource in resources if isinstance(resources, list) else ():
            key = resource_id(resource)
            if key and resource.get("datastore_active") is True and "fields" not in resource:
                resource["fields"] = self._fields(key)

    def _fields(self, key: str) -> object:
        if self.given_up:
            return None
        try:
            parameters = {"resource_id": key, "limit": "0"}  # fields, and no rows
            found = self._request.result(f"{self._action}/{FIELDS}", parameters)
        except PortalFailed as failure:
            # A resource of which the portal says no is one, a portal that fails is not asked on.
            self._failures += not failure.is_refusal
            return None
        self._failures = 0
        return found.get("fields")
