import type { Authenticate, HttpHost, HttpRequest } from '@mobius-mcp/http-host'
import type { Metrics } from '@mobius-mcp/telemetry'

export interface MetricsRouteOptions {
  readonly metrics: Metrics
  /** Who may call may look. */
  readonly authenticate: Authenticate
}

/** `/metrics`, for Prometheus; where there are keys, its scraper needs one too. */
export function addMetricsRoute(
  app: HttpHost['app'],
  { metrics, authenticate }: MetricsRouteOptions,
): void {
  app.get('/metrics', async ({ req, body, text }) => {
    const request: HttpRequest = {
      method: req.method,
      path: req.path,
      url: req.url,
      remoteAddress: undefined,
      raw: req.raw,
      header: (name) => req.header(name),
    }
    const principal = await authenticate(request)
    if (!principal || !('id' in principal)) {
      return text('A bearer key of the configuration is needed: http.keys\n', 401, {
        'www-authenticate': 'Bearer',
      })
    }
    return body(await metrics.render(), 200, { 'content-type': metrics.contentType })
  })
}
