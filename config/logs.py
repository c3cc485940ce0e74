"""Structured logs: one line an event, JSON for machines or coloured text for people, on standard error.

Every line carries what the request or job bound with `structlog.contextvars` (`request_id`, `actor`, `run_id`). Lines
of the standard `logging` module, Django's and Celery's among them, take the same way out.
"""

from __future__ import annotations

import logging
import logging.config
from http import HTTPStatus
from typing import Any

import structlog

FORMATS = ("json", "console")
# Applied to every line, ours and those of libraries.
ENRICH: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def configure(options: dict[str, str]) -> None:
    """Set up logging for this process; Django calls it with `settings.LOGGING`.

    options: `format` ("json" or "console") and `level` (a name of the standard library's).
    Raises ValueError where either is unknown.
    """
    if options["format"] not in FORMATS:
        raise ValueError(f"STATEHOUSE_LOG_FORMAT is {options['format']!r}; it has to be one of {', '.join(FORMATS)}.")
    logging.config.dictConfig(_standard(options["format"], options["level"]))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *ENRICH,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _standard(form: str, level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": ENRICH,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendered(form)],
            }
        },
        "filters": {"unexpected": {"()": lambda: _is_unexpected}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # A refused request is the caller's affair, a 503 was answered on purpose: the request's own line has both.
            "django.request": {"level": "ERROR", "filters": ["unexpected"]},
            "uvicorn.access": {"level": "WARNING"},
        },
    }


def _is_unexpected(record: logging.LogRecord) -> bool:
    return getattr(record, "status_code", 500) != HTTPStatus.SERVICE_UNAVAILABLE


def _rendered(form: str) -> list[Any]:
    if form == "console":
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    # The locals of a frame hold tokens, commands and whatever else a caller sent: they stay out of the log.
    frames = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    return [structlog.processors.ExceptionRenderer(frames), structlog.processors.JSONRenderer()]
