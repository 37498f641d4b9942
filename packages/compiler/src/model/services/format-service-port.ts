/**
 * Formats `default/web:http/TCP`, the unique label of a service port. It is the owner of blocks of rules, drift items
 * and trace steps, the same in all versions: without the colon after a Service with a port without a name that kube-proxy
 * writes until v1.18. Accepts a `ServicePortId`, or a parsed label.
 */
export function formatServicePort({ text, protocol }: { readonly text: string; readonly protocol: string }): string {
  return [text.endsWith(':') ? text.slice(0, -1) : text, protocol].join('/')
}
