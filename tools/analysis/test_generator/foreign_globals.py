"""Names that code finds in Node or Jest, and not everywhere: what uses them depends on where it runs."""

from __future__ import annotations

_NODE = """
    AbortController AbortSignal atob Blob BroadcastChannel btoa Buffer ByteLengthQueuingStrategy clearImmediate
    clearInterval clearTimeout CloseEvent CompressionStream CountQueuingStrategy Crypto crypto CryptoKey
    CustomEvent DecompressionStream DOMException Event EventSource EventTarget fetch File FormData global Headers
    localStorage MessageChannel MessageEvent MessagePort Navigator navigator Performance performance
    PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver PerformanceObserverEntryList
    PerformanceResourceTiming process queueMicrotask ReadableByteStreamController ReadableStream
    ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader
    Request Response sessionStorage setImmediate setInterval setTimeout Storage structuredClone SubtleCrypto
    TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController
    URL URLPattern URLSearchParams WebAssembly WebSocket WritableStream WritableStreamDefaultController
    WritableStreamDefaultWriter
"""
"""What Node 20 to 24 add to a plain engine, with its options too; and WebAssembly, which the sandbox lacks."""
_JEST = """
    describe it test expect jest fit xit xtest xdescribe fdescribe beforeEach beforeAll afterEach afterAll require
    __filename __dirname
"""
ABSENT = (*_NODE.split(), *_JEST.split())
RECENT = ("AsyncDisposableStack", "DisposableStack", "Float16Array", "Iterator", "SuppressedError", "Temporal")
"""What the engine has and Node 20 has not."""
