import {
  fieldRows,
  IPV4,
  IPV6,
  knownNumber,
  NO_VALUE,
  needProtocol,
  readField,
  type SelectorEntry,
  type SelectorRow,
  selectorRows,
  UNKNOWN_VALUE,
} from './selector-row.js'

const FROM_HEADER = 'the header of the packet'
const FROM_SENDER = 'the sender chooses the value'
const NO_HEADER = 'packets of TCP, UDP and SCTP have no such header'
const NO_EXTENSION = 'packets of a connection have no such extension header'
const LINK_LAYER = 'link-layer headers are not known'

const NETWORK_SELECTORS: readonly SelectorRow[] = [
  ...selectorRows(
    [IPV4],
    [
      ['ip saddr', 'ipv4_addr', readField('source'), FROM_HEADER],
      ['ip daddr', 'ipv4_addr', readField('destination'), FROM_HEADER],
      ['ip protocol', 'inet_proto', readField('protocol'), FROM_HEADER],
      ['ip version', 'integer', knownNumber(4), FROM_HEADER],
      // Only the bit that forbids fragmentation depends on the sender.
      ['ip frag-off', 'integer', knownNumber(0, 0xbfff), 'connection tracking reassembles fragments'],
    ],
  ),
  ...fieldRows('ip', 'ttl length dscp ecn id checksum hdrlength tos', [IPV4], UNKNOWN_VALUE, FROM_SENDER),
  ...selectorRows(
    [IPV6],
    [
      ['ip6 saddr', 'ipv6_addr', readField('source'), FROM_HEADER],
      ['ip6 daddr', 'ipv6_addr', readField('destination'), FROM_HEADER],
      ['ip6 nexthdr', 'inet_proto', readField('protocol'), FROM_HEADER],
      ['ip6 version', 'integer', knownNumber(6), FROM_HEADER],
    ],
  ),
  ...fieldRows('ip6', 'hoplimit length dscp ecn flowlabel priority', [IPV6], UNKNOWN_VALUE, FROM_SENDER),
  ...fieldRows('ip', 'option', [IPV4], UNKNOWN_VALUE, FROM_SENDER),
]

function portEntries(protocol: string): readonly SelectorEntry[] {
  return [
    [`${protocol} sport`, 'inet_service', readField('sourcePort'), FROM_HEADER],
    [`${protocol} dport`, 'inet_service', readField('destinationPort'), FROM_HEADER],
  ]
}

const [TCP, UDP, SCTP] = [needProtocol('tcp'), needProtocol('udp'), needProtocol('sctp')]
const ICMP_FIELDS = 'type code checksum id sequence gateway mtu'
const ICMPV6_FIELDS = `${ICMP_FIELDS} parameter-problem packet-too-big max-delay taddr daddr`

const TRANSPORT_SELECTORS: readonly SelectorRow[] = [
  ...['tcp', 'udp', 'sctp', 'dccp', 'udplite'].flatMap((protocol) =>
    selectorRows([needProtocol(protocol)], portEntries(protocol)),
  ),
  ...selectorRows([], portEntries('th')),
  ...selectorRows(
    [TCP],
    [['tcp flags', 'tcp_flag', knownNumber(0x02), 'the first packet of a connection has SYN alone']],
  ),
  ...fieldRows('tcp', 'sequence ackseq doff reserved window checksum urgptr option', [TCP], UNKNOWN_VALUE, FROM_SENDER),
  ...fieldRows('udp', 'length checksum', [UDP], UNKNOWN_VALUE, FROM_SENDER),
  ...fieldRows('sctp', 'vtag checksum chunk', [SCTP], UNKNOWN_VALUE, FROM_SENDER),
  ...fieldRows('dccp', 'type option', [needProtocol('dccp')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('udplite', 'checksum csumcov', [needProtocol('udplite')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('icmp', ICMP_FIELDS, [IPV4, needProtocol('icmp')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('icmpv6', ICMPV6_FIELDS, [IPV6, needProtocol('ipv6-icmp')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('igmp', 'type checksum mrt group', [IPV4, needProtocol('igmp')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('ah', 'nexthdr hdrlength reserved spi sequence', [needProtocol('ah')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('esp', 'spi sequence', [needProtocol('esp')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('comp', 'nexthdr flags cpi', [needProtocol('108')], UNKNOWN_VALUE, NO_HEADER),
  ...fieldRows('gre', 'flags version protocol', [needProtocol('gre')], UNKNOWN_VALUE, NO_HEADER),
]

const EXTENSION_FIELDS: Readonly<Record<string, string>> = {
  hbh: 'nexthdr hdrlength',
  dst: 'nexthdr hdrlength',
  frag: 'nexthdr reserved frag-off reserved2 more-fragments id',
  mh: 'nexthdr hdrlength type reserved checksum',
  rt: 'nexthdr hdrlength type seg-left',
  srh: 'flags tag sid seg-left last-entry',
}

const EXTENSION_SELECTORS: readonly SelectorRow[] = Object.entries(EXTENSION_FIELDS).flatMap(([name, fields]) => [
  ...fieldRows(name, fields, [IPV6], NO_VALUE, NO_EXTENSION),
  ...selectorRows([IPV6], [[`exthdr ${name}`, 'boolean', knownNumber(0), NO_EXTENSION]]),
])

/** The selectors of fields in packet headers. */
export const HEADER_SELECTORS: readonly SelectorRow[] = [
  ...NETWORK_SELECTORS,
  ...TRANSPORT_SELECTORS,
  ...EXTENSION_SELECTORS,
  ...fieldRows('ether', 'saddr daddr type', [], UNKNOWN_VALUE, LINK_LAYER),
  ...fieldRows('vlan', 'id dei cfi pcp type', [], UNKNOWN_VALUE, LINK_LAYER),
  ...fieldRows('arp', 'htype ptype hlen plen operation', [], NO_VALUE, 'packets of a connection are not ARP'),
  // Bytes at an offset of a header.
  ...['@ll', '@nh', '@th', '@ih'].map(
    (selector): SelectorRow => ({
      selector,
      type: 'integer',
      needs: [],
      meaning: UNKNOWN_VALUE,
      reason: 'only fields with names are read',
    }),
  ),
]
