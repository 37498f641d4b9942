/** Returns the mark of a packet after a rule, in the text of iptables or nftables. */
export function markAfter(rule: string, mark: number): number {
  const [, set, value = '', mask = '0xffffffff'] = IPTABLES_SET.exec(rule) ?? []
  if (set === 'set-xmark') return ((mark & ~Number(mask)) ^ Number(value)) >>> 0
  if (set === 'set-mark') return ((mark & ~Number(mask)) | Number(value)) >>> 0
  const [, operation, operand = ''] = IPTABLES_BITS.exec(rule) ?? NFTABLES_BITS.exec(rule) ?? []
  if (operation !== undefined) return applyBits(operation, mark, Number(operand))
  const [, constant] = NFTABLES_SET.exec(rule) ?? []
  return constant === undefined ? mark : Number(constant)
}

/** Returns a mark in the format of the rules. */
export function formatMark(mark: number): string {
  return mark === 0 ? '0' : `0x${mark.toString(16)}`
}

const IPTABLES_SET = /-j MARK --(set-xmark|set-mark) (0x[\da-f]+|\d+)(?:\/(0x[\da-f]+))?/
const IPTABLES_BITS = /-j MARK --(or|and|xor)-mark (0x[\da-f]+|\d+)/
const NFTABLES_BITS = /mark set (?:meta )?mark (\||&|\^|or|and|xor) (0x[\da-f]+|\d+)/
const NFTABLES_SET = /meta mark set (0x[\da-f]+|\d+)/

function applyBits(operation: string, mark: number, operand: number): number {
  if (operation === 'or' || operation === '|') return (mark | operand) >>> 0
  if (operation === 'and' || operation === '&') return (mark & operand) >>> 0
  return (mark ^ operand) >>> 0
}
