/** Matches `namespace/name` or `namespace/name:port`; old versions also print the colon for ports without a name. */
const NAME = '([^\\s/:]+/[^\\s/:]+(?::[^\\s/:]*)?)'

const FORMS: readonly RegExp[] = [
  `${NAME}(?: (?:cluster IP|external IP|loadbalancer IP|has no (?:local )?endpoints|health check node port|-> \\S+))?`,
  `${NAME} traffic not accepted by \\S+`,
  `(?:pod|masquerade|masquerade LOCAL|route LOCAL) traffic for ${NAME} external destinations`,
  `(?:masquerade|route) LOCAL traffic for ${NAME} LB IP(?: to service chain)?`,
  `other traffic to ${NAME} will be dropped by KUBE-PROXY-FIREWALL`,
  `Balancing rule \\d+ for ${NAME}`,
].map((form) => new RegExp(`^${form}$`))

/**
 * Parses the service port, without its protocol, in a comment of kube-proxy (`default/web:http`). Supports the iptables
 * and userspace proxiers of Kubernetes 1.2 to 1.37; undefined for any other text.
 */
export function parseServicePortName(comment: string): string | undefined {
  if (!comment.includes('/')) return undefined
  for (const form of FORMS) {
    const name = form.exec(comment)?.[1]
    if (name !== undefined) return name.endsWith(':') ? name.slice(0, -1) : name
  }
  return undefined
}

/** Reports whether the comment is about a health-check port, which is TCP for every service port. */
export function isHealthCheckComment(comment: string): boolean {
  return comment.endsWith(' health check node port')
}
