"""What can go wrong between this program and an Elasticsearch server, each with its sentence.

A fault has one sentence wherever it shows: in a command, in `doctor`, and in
docs/troubleshooting.md, which has a row for each. Only names and words; which fault it is that an
exception or an answer means, others find out.
"""

from dataclasses import dataclass

from polaris_search.errors import PolarisError, ServiceUnreachable, StoreProblem


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of trouble.

    Attributes:
        problem: what is wrong, as a clause that follows the server's address; may have {fields}.
        remedy: what to do about it, in sentences.
        error: what is raised, and with it the exit code.
    """

    problem: str
    remedy: str
    error: type[PolarisError] = StoreProblem

    def sentence(self, **fields: str) -> str:
        """Return what is wrong and what to do, without the server's address."""
        return f"{self.problem.format(**fields)}. {self.remedy}"

    def at(self, address: str, **fields: str) -> PolarisError:
        """Return the error that tells of this fault at the server of this address."""
        return self.error(f"Elasticsearch at {address}: {self.sentence(**fields)}")


AGAIN = "then run the command again."

# On the way to the server

UNKNOWN_HOST = Fault(
    "no computer of that name is known here",
    "Correct the host in POLARIS_STORE, or see whether the name service works.",
    ServiceUnreachable,
)
NOT_LISTENING = Fault(
    "nothing answers there",
    "Start it, or correct host and port in POLARIS_STORE.",
    ServiceUnreachable,
)
NO_WAY = Fault(
    "it cannot be reached from here ({reason})",
    "Look at the network on the way, and at host and port in POLARIS_STORE.",
    ServiceUnreachable,
)
HUNG_UP = Fault(
    "it ended the connection without an answer",
    "If it uses TLS, write https:// in POLARIS_STORE. If not, look at its log, and at any proxy on "
    f"the way, {AGAIN}",
    ServiceUnreachable,
)
BROKEN_ANSWER = Fault(
    "its answer broke off, or came garbled",
    f"Look at its log, and at any proxy on the way, {AGAIN}",
    ServiceUnreachable,
)
NO_ANSWER_IN_TIME = Fault(
    "it did not answer in time",
    "Look whether it is overloaded, or raise POLARIS_ES_TIMEOUT_S.",
    ServiceUnreachable,
)
RED_CLUSTER = Fault(
    "it did not answer in time, and its cluster has shards that no node serves",
    "Start the nodes that hold them; `GET /_cluster/allocation/explain` says what is missing.",
    ServiceUnreachable,
)
UNKNOWN_CA = Fault(
    "its certificate is signed by nobody who is trusted here",
    "Set POLARIS_ES_CA_CERTS to the file of the CA that signed it.",
    ServiceUnreachable,
)
CERTIFICATE_DATES = Fault(
    "its certificate is not valid today ({reason})",
    "Renew the certificate on the server, or set the clock of the machine that is wrong.",
    ServiceUnreachable,
)
CERTIFICATE_NAMES = Fault(
    "its certificate is for another name ({reason})",
    "Write a name that the certificate has in POLARIS_STORE, or give the server one for this name.",
    ServiceUnreachable,
)
NO_TLS = Fault(
    "it does not use TLS there",
    "Write http:// in POLARIS_STORE, or turn TLS on in the server.",
    ServiceUnreachable,
)
NEEDS_TLS = Fault(
    "it takes nothing but TLS there", "Write https:// in POLARIS_STORE.", ServiceUnreachable
)
TLS_REFUSED = Fault(
    "no TLS connection could be made ({reason})",
    "Look at its log, and at POLARIS_ES_CA_CERTS; certificates of clients are not supported.",
    ServiceUnreachable,
)

# Something else answers in its place

FOREIGN = Fault(
    "what answers there is not Elasticsearch, or a proxy drops its X-Elastic-Product header",
    "Correct POLARIS_STORE, or the proxy; OpenSearch cannot be used.",
)
PROXY_REFUSES = Fault(
    "something in front of it refuses the request (status {status})",
    "Correct POLARIS_STORE, or have the proxy let requests to Elasticsearch through.",
)
PROXY_FINDS_NOTHING = Fault(
    "a proxy answers in its place that it gets no answer itself (status {status})",
    f"Start Elasticsearch behind the proxy, or look at the way between them, {AGAIN}",
    ServiceUnreachable,
)
SENT_ELSEWHERE = Fault(
    "what answers there sends requests on to {place}",
    "If Elasticsearch is there, write that address in POLARIS_STORE.",
)
TOO_LARGE = Fault(
    "a request is larger than what answers there takes",
    "Raise the limit of the proxy in front of it to 10 MB or more (client_max_body_size of nginx).",
)

# Who asks

UNKNOWN_USER = Fault(
    "it does not know who asks",
    "Write user:password@ before the host in POLARIS_STORE, or set POLARIS_ES_API_KEY.",
)
WRONG_PASSWORD = Fault(
    "it does not know this user with this password",
    "Correct user and password in POLARIS_STORE. If the server has only just started, wait a "
    f"moment, {AGAIN}",
)
KEY_EXPIRED = Fault(
    "the API key has expired", "Make another one, and set POLARIS_ES_API_KEY to it."
)
KEY_INVALIDATED = Fault(
    "the API key was invalidated", "Make another one, and set POLARIS_ES_API_KEY to it."
)
KEY_UNKNOWN = Fault(
    "it knows no such API key",
    "Set POLARIS_ES_API_KEY to the `encoded` value that it gave when the key was made.",
)
NO_RIGHT = Fault(
    "the user or key lacks a right ({reason})",
    "Use one with the role polaris-searcher to search, polaris-ingester to write, polaris-admin "
    "for all else; `polaris-admin doctor --apply-roles` makes these roles.",
)
NO_LICENCE = Fault(
    "its licence does not allow that ({reason})",
    "Look at its licence (GET /_license).",
)

# The server and its cluster

OTHER_VERSION = Fault(
    "it has version {server}, and the client here, {client}, needs 9 or newer",
    "Upgrade the server.",
)
NOT_READY = Fault(
    "it is not ready (status {status})",
    f"Wait until it has started, or look at its log, {AGAIN}",
    ServiceUnreachable,
)
NO_MASTER = Fault(
    "its cluster has no elected master, so that nothing can be written",
    f"Start the master nodes that are missing, or look at their logs, {AGAIN}",
    ServiceUnreachable,
)
NO_SHARD = Fault(
    "the index has a shard that no node serves",
    "Start the nodes that hold it; `GET /_cluster/allocation/explain` says what is missing.",
    ServiceUnreachable,
)
BUSY = Fault(
    "the server is too busy",
    "Run the command again later, or give the server more memory.",
)
NO_MEMORY = Fault("the server is short of memory", "Give it more, or run the command again later.")
NO_DISK = Fault(
    "its disk is so full that it takes no more writes",
    f"Free space there, {AGAIN} What was stored stays.",
)
CLUSTER_READ_ONLY = Fault(
    "the whole cluster is set to be read only ({reason})",
    "Lift that (PUT /_cluster/settings, cluster.blocks.read_only and "
    f"cluster.blocks.read_only_allow_delete: null), {AGAIN}",
)
TOO_MANY_SHARDS = Fault(
    "the cluster may hold no more shards",
    "Delete indices that nobody needs (`polaris-admin index prune` removes old generations), or "
    f"raise cluster.max_shards_per_node, {AGAIN}",
)
TOO_MANY_CONTEXTS = Fault(
    "too many searches are being read page by page",
    "Wait until some have ended, or raise search.max_open_scroll_context on the server.",
)
SHORT_KEEP_ALIVE = Fault(
    "it keeps a search open for too short a time",
    "Raise search.max_keep_alive on the server to 5m or more.",
)
TOO_MANY_TERMS = Fault("the query has more terms than this server takes", "Shorten it.")

# The index and its alias

NO_INDEX = Fault(
    "there is no index behind the alias: it was deleted meanwhile, or the user or key may not "
    "create it",
    "Run the command again, or with rights to create_index and manage.",
)
LOST_PLACE = Fault(
    "the list was read too slowly, or the index was replaced meanwhile",
    "Run the command again.",
)
CLOSED = Fault("the index is closed", f"Open it (POST /INDEX/_open), {AGAIN}")
BLOCKED = Fault(
    "the index is blocked ({reason})",
    f"Lift the block (index.blocks in its settings), {AGAIN}",
)
NAME_TAKEN = Fault(
    "an index has the name that the alias needs",
    f"Copy what you need from it, delete it, {AGAIN}",
)
SEVERAL_INDICES = Fault(
    "the alias points at several indices; it must point at one",
    "Remove it from the others (POST /_aliases).",
)
NOT_OURS = Fault(
    "what is behind the alias is not an index of this product",
    "Remove the alias from it, or delete it, and ingest again.",
)
OTHER_FIELDS = Fault(
    "the index was made by another version of this product",
    "Run `polaris-admin reindex`.",
)
UNEXPECTED = Fault(
    "{kind} ({reason})",
    "Look at the server's log; if nothing is wrong there, report this.",
)
