/// <reference types="node" />
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { EncodeOptions, Pixels, Report, Source } from './index'

/** A request of node:http or node:http2, as Express, Koa (ctx.req) and Fastify (request.raw) have it. */
export type HttpRequest = IncomingMessage | Http2ServerRequest
/** A response of node:http or node:http2, as Express, Koa (ctx.res) and Fastify (reply.raw) have it. */
export type HttpResponse = ServerResponse | Http2ServerResponse

/**
 * How long output is held back, so that an error can still be told by a status of its own:
 * 'partial' until there are more than partialSize bytes; 'speed' not at all; 'buffer' until all is in memory; 'file' as well,
 * but beyond 1 MiB in a temporary file. HTTP/1.0 has no way to tell of an error later: 'partial' and 'speed' are 'file' there.
 */
export type Strategy = 'partial' | 'speed' | 'buffer' | 'file'

/** 'auto': what the client prefers of zstd, br, gzip and deflate. A name: that one, if the client does not refuse it. */
export type SendCoding = 'auto' | 'identity' | 'gzip' | 'deflate' | 'zstd' | 'br'

/** Header fields; undefined values are left out. */
export type SendHeaders = Record<string, OutgoingHttpHeader | undefined> | Headers | Iterable<[string, string]>

/** What the client gets when the encode fails before anything was sent. */
export interface ErrorDocument {
  /** Default: the error's statusCode or status if it is from 400 to 599, else 500. */
  status?: number | undefined
  /** Default content-type: text/plain in UTF-8. */
  headers?: SendHeaders | undefined
  body?: string | Uint8Array | undefined
}

/** Those of send() and respond(), beside the options of the encode. */
export interface HttpOptions {
  /** An integer from 200 to 599. Default 200. */
  status?: number | undefined
  /** Of the output, not of an error's document. A content-type wins over the source's. */
  headers?: SendHeaders | undefined
  /** Default 'partial'. */
  strategy?: Strategy | undefined
  /** Bytes, after coding, that 'partial' holds back. Default 51200. */
  partialSize?: number | undefined
  /** Default 'auto'. */
  coding?: SendCoding | undefined
  /** Makes the document for an error before the commit. Without it: a line of plain text that does not say why. */
  onError?: ((error: Error) => ErrorDocument | Promise<ErrorDocument>) | undefined
  /** Called with the report when all is over: that is how one learns what became of a Response. */
  onReport?: ((report: HttpReport) => void) | undefined
}

type WithoutCoding<T> = T extends unknown ? Omit<T, 'coding'> : never
export type SendOptions = WithoutCoding<EncodeOptions> & HttpOptions

/** What became of an answer. bytes and chunks are those of the body, as it was sent. */
export interface HttpReport extends Report {
  /** Until the first byte of the output was written; null if none was. */
  firstByteMs: number | null
  /** Whether the head of the output was sent; false for a document of an error. */
  committed: boolean
  /** Whether the client did not get all of the answer, because it left or because it was cut; or the signal aborted. */
  aborted: boolean
  /** The status that was sent, undefined if nothing was. */
  status?: number
  /** Why the output was not sent, or not all of it. */
  error?: Error
  /** The one that was used. */
  strategy: Strategy
}

/**
 * Answers a request with what the source becomes. Headers that were set on the response before are kept. Resolves when the
 * answer was handed to the system, or cut, or the client left. Rejects with ERR_SLUICE_ARGUMENT, and only for a bug of the
 * caller's; unless the message speaks of onError, nothing was sent then. It is safe to ignore the promise.
 */
export function send (req: HttpRequest, res: HttpResponse, source: Source | Pixels, options?: SendOptions): Promise<HttpReport>

/**
 * The same for servers whose handlers return a Response. Resolves at the commit. Later errors are those of the body's
 * stream; cancelling it, or an abort of the request's signal, ends the encode. Rejects as send() does.
 */
export function respond (request: Request, source: Source | Pixels, options?: SendOptions): Promise<Response>

export interface NegotiateOptions {
  /** The media type of the answer: compressed ones are not coded again. */
  type?: string | undefined
  /** Content codings on offer, the best first. Default: zstd, br, gzip, deflate. */
  codings?: readonly string[] | undefined
}

export interface Negotiated {
  /** A name of codings, or 'identity'. */
  coding: string
  /** Vary, and Content-Encoding if it is coded. */
  headers: Record<string, string>
}

/** What Accept-Encoding prefers (RFC 9110, section 12.5.3). null: nothing is acceptable, answer 406. */
export function negotiate (req: { headers: object }, options?: NegotiateOptions): Negotiated | null
