/** Whether `text` can name a network interface and can stand unquoted in the text of a rule. */
export function isInterfaceName(text: string): boolean {
  return /^[A-Za-z0-9_.@:-]{1,15}$/.test(text)
}

/** Whether `text` can begin such names. One character less: iptables counts the `+` that is written after it. */
export function isInterfacePrefix(text: string): boolean {
  return /^[A-Za-z0-9_.@:-]{1,14}$/.test(text)
}
