/**
 * Formats `default/web:http/TCP`, the unique label of a service port. The label identifies the owner of rules, drift
 * items and trace steps. It is the same in all versions: unlike kube-proxy up to v1.18, it has no colon if the port has
 * no name. Accepts a `ServicePortId`, or a parsed label.
 */
export function formatServicePort({ text, protocol }: { readonly text: string; readonly protocol: string }): string {
  return [text.endsWith(':') ? text.slice(0, -1) : text, protocol].join('/')
}
