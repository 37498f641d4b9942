import {
  CONNECTION,
  fieldRows,
  IPV4,
  IPV6,
  knownNumber,
  NO_VALUE,
  needProtocol,
  readField,
  SENDER,
  type SelectorMeaning,
  type SelectorNeed,
  type SelectorRow,
  selectorRows,
  UNKNOWN_VALUE,
} from './selector-row.js'

const FROM_HEADER = 'the header of the packet'
const FROM_RULES = 'rules on the path set the mark'
const INTERFACE_NAME = 'the name of the interface, as far as it is known'
const NO_IPSEC = 'IPsec is not in use'

const IN_INTERFACE: SelectorMeaning = { kind: 'interface', direction: 'in' }
const OUT_INTERFACE: SelectorMeaning = { kind: 'interface', direction: 'out' }

const META_SELECTORS: readonly SelectorRow[] = [
  ...selectorRows(
    [],
    [
      ['meta l4proto', 'inet_proto', readField('protocol'), FROM_HEADER],
      ['meta nfproto', 'nf_proto', { kind: 'family', numbers: { IPv4: 2, IPv6: 10 } }, FROM_HEADER],
      ['meta protocol', 'ether_type', { kind: 'family', numbers: { IPv4: 0x0800, IPv6: 0x86dd } }, FROM_HEADER],
      ['meta mark', 'mark', readField('mark'), FROM_RULES],
      ['meta iif', 'iface_index', IN_INTERFACE, INTERFACE_NAME],
      ['meta oif', 'iface_index', OUT_INTERFACE, INTERFACE_NAME],
      ['meta iifname', 'ifname', IN_INTERFACE, INTERFACE_NAME],
      ['meta oifname', 'ifname', OUT_INTERFACE, INTERFACE_NAME],
      ['meta pkttype', 'pkt_type', knownNumber(0), 'packets of a connection are unicast'],
      ['meta ipsec', 'boolean', knownNumber(0), NO_IPSEC],
    ],
  ),
  ...fieldRows(
    'meta',
    'iiftype oiftype iifgroup oifgroup iifkind oifkind sdif sdifname ibrname obrname ibriport obriport ibrpvid ibrvproto',
    [],
    UNKNOWN_VALUE,
    'only the name of the interface is known',
  ),
  ...fieldRows('meta', 'skuid skgid cgroup', [SENDER], UNKNOWN_VALUE, 'processes of the node are not known'),
  ...fieldRows('meta', 'time day hour', [], UNKNOWN_VALUE, 'the time is not known'),
  ...fieldRows('meta', 'length priority', [], UNKNOWN_VALUE, 'the sender chooses the value'),
  ...fieldRows('meta', 'cpu random', [], UNKNOWN_VALUE, 'the value is random'),
  ...fieldRows('meta', 'nftrace rtclassid secmark', [], UNKNOWN_VALUE, 'other parts of the kernel set the value'),
]

const FROM_CONNECTION = 'the address, port or protocol of the connection'
const LENGTH = 'the length of the packet is not known'
const ZONE = 'rules of other programs may set the zone'

/** Creates the rows for addresses of a connection. Old versions of nft do not print the family. */
function tupleRows(family: string, type: string, needs: readonly SelectorNeed[]): readonly SelectorRow[] {
  return selectorRows(needs, [
    [`ct original ${family}saddr`, type, readField('source'), FROM_CONNECTION],
    [`ct original ${family}daddr`, type, readField('originalDestination'), FROM_CONNECTION],
    [`ct reply ${family}saddr`, type, readField('destination'), FROM_CONNECTION],
    [`ct reply ${family}daddr`, type, UNKNOWN_VALUE, 'a source translation may change the address'],
  ])
}

const CT_SELECTORS: readonly SelectorRow[] = [
  ...selectorRows(
    [],
    [['ct state', 'ct_state', { kind: 'state' }, 'the first packet of a connection is new or untracked']],
  ),
  ...selectorRows(
    [CONNECTION],
    [
      [
        'ct status',
        'ct_status',
        { kind: 'status' },
        'translated or not; confirmed only if the node sent the packet to itself',
      ],
      ['ct mark', 'mark', readField('connectionMark'), FROM_RULES],
      ['ct direction', 'ct_dir', knownNumber(0), 'the first packet has the original direction'],
      ['ct protocol', 'inet_proto', readField('protocol'), FROM_CONNECTION],
      ['ct original protocol', 'inet_proto', readField('protocol'), FROM_CONNECTION],
      ['ct reply protocol', 'inet_proto', readField('protocol'), FROM_CONNECTION],
      ['ct l3proto', 'nf_proto', { kind: 'family', numbers: { IPv4: 2, IPv6: 10 } }, FROM_HEADER],
      ['ct original l3proto', 'nf_proto', { kind: 'family', numbers: { IPv4: 2, IPv6: 10 } }, FROM_HEADER],
      ['ct reply l3proto', 'nf_proto', { kind: 'family', numbers: { IPv4: 2, IPv6: 10 } }, FROM_HEADER],
      ['ct original proto-src', 'inet_service', readField('sourcePort'), FROM_CONNECTION],
      ['ct original proto-dst', 'inet_service', readField('originalDestinationPort'), FROM_CONNECTION],
      ['ct reply proto-src', 'inet_service', readField('destinationPort'), FROM_CONNECTION],
      ['ct reply proto-dst', 'inet_service', UNKNOWN_VALUE, 'a source translation may change the port'],
      ['ct packets', 'integer', knownNumber(1), 'the first packet is counted itself'],
      ['ct original packets', 'integer', knownNumber(1), 'the first packet is counted itself'],
      ['ct reply packets', 'integer', knownNumber(0), 'the first packet has no reply'],
      ['ct reply bytes', 'integer', knownNumber(0), 'the first packet has no reply'],
      ['ct helper', 'string', NO_VALUE, 'only related connections have the helper of another connection'],
    ],
  ),
  ...tupleRows('ip ', 'ipv4_addr', [IPV4, CONNECTION]),
  ...tupleRows('ip6 ', 'ipv6_addr', [IPV6, CONNECTION]),
  ...tupleRows('', 'ip_addr', [CONNECTION]),
  ...['ct', 'ct original', 'ct reply'].flatMap((words) => fieldRows(words, 'zone', [CONNECTION], UNKNOWN_VALUE, ZONE)),
  ...['ct', 'ct original'].flatMap((words) => fieldRows(words, 'bytes avgpkt', [CONNECTION], UNKNOWN_VALUE, LENGTH)),
  ...fieldRows('ct reply', 'avgpkt', [CONNECTION], UNKNOWN_VALUE, LENGTH),
  ...fieldRows(
    'ct',
    'expiration id label secmark',
    [CONNECTION],
    UNKNOWN_VALUE,
    'other parts of the kernel set the value',
  ),
]

const TYPE_OF_ADDRESS = 'the addresses of the node, as far as they are known'
const ROUTES = 'routes are not known'

const FIB_SELECTORS: readonly SelectorRow[] = (['saddr', 'daddr'] as const).flatMap((word) => {
  const side = word === 'saddr' ? 'source' : 'destination'
  const flags = [word, `${word} . iif`, `${word} . oif`]
  return [
    ...selectorRows(
      [],
      flags.map((each) => [
        `fib ${each} type`,
        'fib_addrtype',
        { kind: 'addressType', side, atInterface: each !== word },
        TYPE_OF_ADDRESS,
      ]),
    ),
    ...flags.flatMap((each) => fieldRows(`fib ${each}`, 'oif oifname', [], UNKNOWN_VALUE, ROUTES)),
  ]
})

/** The selectors of data about a packet. */
export const OTHER_SELECTORS: readonly SelectorRow[] = [
  ...META_SELECTORS,
  ...CT_SELECTORS,
  ...FIB_SELECTORS,
  ...fieldRows('rt', 'classid nexthop mtu ipsec', [], UNKNOWN_VALUE, ROUTES),
  ...selectorRows([], [['ipsec', 'integer', NO_VALUE, NO_IPSEC]]),
  ...fieldRows('socket', 'transparent mark wildcard cgroupv2', [], UNKNOWN_VALUE, 'sockets of the node are not known'),
  ...fieldRows('osf', 'name version', [needProtocol('tcp')], UNKNOWN_VALUE, 'the sender chooses the value'),
]
