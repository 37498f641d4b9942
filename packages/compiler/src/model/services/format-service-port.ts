/**
 * Formats `default/web:http/TCP`, the unique label of a service port. It is the owner of blocks of rules, drift items
 * and trace steps, and the same in all versions: it omits the colon that kube-proxy until v1.18 writes for a port
 * without a name. Accepts a `ServicePortId`, or a parsed label.
 */
export function formatServicePort({ text, protocol }: { readonly text: string; readonly protocol: string }): string {
  return [text.endsWith(':') ? text.slice(0, -1) : text, protocol].join('/')
}
