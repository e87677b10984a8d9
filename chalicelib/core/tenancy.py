"""Tenant isolation: one execution environment of a function serves one workspace (decision 32)."""

import threading


class TenantIsolationError(Exception):
    """Refusal of an invocation: it has no tenant id, or another than its environment serves.

    Nothing of the invocation was run. The text has no id, because the platform logs it.
    """


def isolates_tenants(tenancy: str) -> bool:
    """Tell whether the setting `tenancy` isolates; any value but `shared` does."""
    return tenancy != "shared"


class TenantGuard:
    """Guard of an execution environment, which serves only the tenant of its first invocation."""

    def __init__(self, tenancy: str) -> None:
        """Take the setting `tenancy`; a shared environment admits every invocation."""
        self._is_isolated = isolates_tenants(tenancy)
        self._tenant: str | None = None
        self._lock = threading.Lock()

    def admit(self, tenant: str | None) -> None:
        """Admit an invocation by the tenant id of its context; raises TenantIsolationError."""
        if not self._is_isolated:
            return
        if not tenant:
            message = "the invocation has no tenant id"
            raise TenantIsolationError(message)
        with self._lock:
            if self._tenant is None:
                self._tenant = tenant
        if tenant != self._tenant:
            message = "this execution environment serves another tenant"
            raise TenantIsolationError(message)
