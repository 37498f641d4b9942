// The drawings of the front page and of docs/explanation.
import { arrow, box, frame, label } from './svg.mjs'

/** The front page: the packet of the command on that page. */
export const packetPath = {
  width: 460,
  height: 470,
  title: 'The path of a packet from a client through the rules of a node to one of two pods',
  parts: [
    box([140, 16, 180, 44], ['client 198.51.100.1']),
    arrow('M230 60V118'),
    label([242, 76], ['code', 'to 10.96.0.10:80'], 'start'),
    frame([16, 90, 428, 292], 'rules on the node'),
    box(
      [120, 122, 220, 54],
      [
        ['code strong', 'KUBE-SERVICES'],
        ['soft', 'find the Service'],
      ],
    ),
    arrow('M230 176V206'),
    box(
      [120, 208, 220, 54],
      [
        ['code strong', 'KUBE-SVC-CDGG…'],
        ['soft', 'choose a pod'],
      ],
    ),
    arrow('M180 262L140 304'),
    arrow('M280 262L320 304'),
    label([130, 280], 'half'),
    label([330, 280], 'half'),
    box(
      [32, 308, 192, 58],
      [
        ['code strong', 'KUBE-SEP-AFGS…'],
        ['soft', 'replace the address'],
      ],
      'change',
    ),
    box(
      [236, 308, 192, 58],
      [
        ['code strong', 'KUBE-SEP-2RIJ…'],
        ['soft', 'replace the address'],
      ],
      'change',
    ),
    arrow('M128 366V400'),
    arrow('M332 366V400'),
    box([32, 402, 192, 54], ['pod', ['code', '10.244.1.5:8080']], 'end'),
    box([236, 402, 192, 54], ['pod', ['code', '10.244.2.7:8080']], 'end'),
  ],
}

/** How kube-proxy programs Services: the hooks of the kernel. */
export const hooks = {
  width: 750,
  height: 306,
  title: 'The hooks of the kernel that a packet passes, and the effect of the rules of kube-proxy there',
  parts: [
    box([16, 18, 130, 64], ['from a pod', 'or outside']),
    arrow('M146 50H172'),
    box(
      [174, 18, 136, 64],
      [
        ['code strong', 'PREROUTING'],
        ['soft', 'new destination'],
      ],
      'change',
    ),
    arrow('M310 50H336'),
    box([338, 18, 84, 64], ['routing']),
    arrow('M422 50H448'),
    box(
      [450, 18, 140, 64],
      [
        ['code strong', 'FORWARD'],
        ['soft', 'reject'],
      ],
      'stop',
    ),
    arrow('M520 82V218'),
    arrow('M380 82V152H312'),
    box(
      [174, 120, 136, 64],
      [
        ['code strong', 'INPUT'],
        ['soft', 'reject'],
      ],
      'stop',
    ),
    arrow('M174 152H148'),
    box([16, 120, 130, 64], ['program', 'on the node'], 'end'),
    arrow('M81 184V252H172'),
    box(
      [174, 214, 136, 76],
      [
        ['code strong', 'OUTPUT'],
        ['soft', 'new destination'],
        ['soft', 'or reject'],
      ],
      'change',
    ),
    arrow('M310 252H336'),
    box([338, 220, 84, 64], ['routing']),
    arrow('M422 252H448'),
    box(
      [450, 220, 140, 64],
      [
        ['code strong', 'POSTROUTING'],
        ['soft', 'new source'],
      ],
      'change',
    ),
    arrow('M590 252H616'),
    box([618, 220, 116, 64], ['pod or other', 'machine'], 'end'),
  ],
}

/** How kube-proxy programs Services: the chains of iptables mode. */
export const chains = {
  width: 750,
  height: 426,
  title: 'The chains of a Service with three pods in iptables mode',
  parts: [
    box(
      [16, 112, 168, 54],
      [
        ['code strong', 'KUBE-SERVICES'],
        ['soft', 'all Services'],
      ],
    ),
    arrow('M184 139H316'),
    label([248, 124], ['soft', 'cluster IP, port']),
    box(
      [320, 112, 150, 54],
      [
        ['code strong', 'KUBE-SVC-…'],
        ['soft', 'choose a pod'],
      ],
    ),
    arrow('M470 139H560'),
    arrow('M490 139V55H560'),
    arrow('M490 139V223H560'),
    label([526, 41], ['soft', 'a third']),
    label([526, 125], ['soft', 'a third']),
    label([526, 209], ['soft', 'a third']),
    endpoint(18, 'pod 1'),
    endpoint(102, 'pod 2'),
    endpoint(186, 'pod 3'),
    arrow('M140 166V250H316'),
    label([152, 236], ['soft', 'external IP, port'], 'start'),
    box(
      [320, 228, 150, 54],
      [
        ['code strong', 'KUBE-EXT-…'],
        ['soft', 'from outside'],
      ],
    ),
    arrow('M395 228V170'),
    label([405, 198], ['soft', 'Cluster'], 'start'),
    arrow('M60 166V340'),
    label([72, 302], ['soft', 'last rule'], 'start'),
    box(
      [16, 344, 168, 54],
      [
        ['code strong', 'KUBE-NODEPORTS'],
        ['soft', 'all node ports'],
      ],
    ),
    arrow('M184 371H250V266H316'),
    label([258, 316], ['soft', 'node port'], 'start'),
    arrow('M395 282V340'),
    label([405, 310], ['soft', 'Local'], 'start'),
    box(
      [320, 344, 150, 54],
      [
        ['code strong', 'KUBE-SVL-…'],
        ['soft', 'choose a pod here'],
      ],
    ),
    arrow('M470 371H560'),
    endpoint(334, 'pod on this node'),
  ],
}

/** The chain of one endpoint, in the last column. */
function endpoint(y, pod) {
  return box([564, y, 170, 74], [['code strong', 'KUBE-SEP-…'], ['soft', 'new destination:'], pod], 'change')
}

/** How kube-proxy programs Services: a reply with and without masquerading. */
export const masquerading = {
  width: 750,
  height: 312,
  title: 'A reply to a client of a node port, without masquerading and with masquerading',
  parts: [
    requestBy(12, 'without masquerading'),
    arrow('M294 166V66H140', 'broken'),
    label([218, 84], ['soft', 'reply']),
    label([30, 262], 'The pod replies to the client directly,', 'start'),
    label([30, 284], 'from an address that is new to the client.', 'start'),
    requestBy(381, 'with masquerading'),
    arrow('M603 206H543'),
    label([572, 222], ['soft', 'reply']),
    arrow('M482 166V92'),
    label([490, 130], ['soft', 'reply'], 'start'),
    label([399, 262], 'The pod replies to node 1,', 'start'),
    label([399, 284], 'and node 1 replies to the client.', 'start'),
  ],
}

/** A client, a node with the node port, and a pod on another node, in a frame. */
function requestBy(left, caption) {
  return [
    frame([left, 10, 357, 290], caption),
    box([left + 16, 42, 110, 46], ['client']),
    arrow(`M${left + 50} 88V162`),
    box([left + 16, 166, 142, 60], ['node 1', ['soft', 'with the node port']], 'change'),
    arrow(`M${left + 158} 186H${left + 218}`),
    box([left + 222, 166, 119, 60], ['pod', ['soft', 'on node 2']], 'end'),
  ]
}
