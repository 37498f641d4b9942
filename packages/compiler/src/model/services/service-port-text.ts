/**
 * Formats `default/web:http/TCP`, the unique label of a service port. It is the owner of blocks of rules, drift items
 * and trace steps. Accepts a `ServicePortId`, or a parsed label.
 */
export function servicePortText({ text, protocol }: { readonly text: string; readonly protocol: string }): string {
  return [text, protocol].join('/')
}
