// The drawings of docs/contributing.
import { arrow, box, frame, label, line } from './svg.mjs'

/** Architecture: the stages of both packages. */
export const stages = {
  width: 750,
  height: 366,
  title: 'The stages of the compiler, and the functions of the analyzer that use their results',
  parts: [
    frame([12, 10, 726, 182], 'compiler'),
    box([28, 44, 100, 50], ['objects']),
    arrow('M128 69H152'),
    box([156, 44, 92, 50], ['model']),
    arrow('M248 69H272'),
    box([276, 44, 92, 50], ['plan'], 'change'),
    arrow('M368 69H400'),
    box([404, 44, 124, 50], ['node state'], 'change'),
    arrow('M528 69H620'),
    label([574, 56], ['code', 'print']),
    box([624, 44, 98, 50], ['text'], 'end'),
    line('M30 102V110H366V102'),
    label([198, 124], ['code', 'compile']),
    arrow('M466 94V126'),
    label([456, 112], ['code', 'diff'], 'end'),
    box([404, 130, 124, 50], ['patch']),
    arrow('M528 155H620'),
    label([574, 142], ['code', 'toCommands']),
    box([624, 130, 98, 50], ['commands'], 'end'),
    label([390, 155], ['soft', 'from the state before'], 'end'),
    frame([12, 204, 726, 150], 'analyzer'),
    box([28, 240, 130, 98], ['dump of a node', ['code', 'parseDump'], ['soft', 'to a node state']]),
    box([172, 240, 130, 98], [['code strong', 'verify'], ['soft', 'two states:'], 'drift']),
    box([316, 240, 130, 98], [['code strong', 'trace, explain'], ['soft', 'a state, a packet:'], 'paths']),
    box([460, 240, 130, 98], [['code strong', 'compare'], ['soft', 'two states:'], 'packets']),
    box([604, 240, 118, 98], [['code strong', 'prove'], ['soft', 'a state, a plan:'], 'proof']),
  ],
}

/** Plan and targets: one plan, and a target for each mode. */
export const planAndTargets = {
  width: 750,
  height: 356,
  title: 'The plan of a Service, and the targets that translate it to a node state',
  parts: [
    frame([12, 10, 726, 132], 'plan of a Service'),
    box(
      [28, 44, 330, 82],
      [
        ['strong', 'frontends'],
        ['soft', 'addresses and ports where packets arrive,'],
        ['soft', 'and the sources that are allowed'],
      ],
    ),
    box(
      [392, 44, 330, 82],
      [
        ['strong', 'routes'],
        ['soft', 'the first condition that is true decides:'],
        ['soft', 'endpoints, reject or drop, and the reason'],
      ],
    ),
    ...['iptables', 'ipvs', 'nftables', 'userspace'].flatMap((mode, index) => {
      const x = 104 + 181 * index
      return [
        arrow(`M${x} 142V184`),
        box(
          [x - 76, 188, 152, 54],
          [
            ['code strong', mode],
            ['soft', 'target'],
          ],
          'change',
        ),
        arrow(`M${x} 242V284`),
      ]
    }),
    box([28, 288, 694, 50], ['node state: rules, sets, virtual servers, addresses'], 'end'),
  ],
}

/** Incremental compilation: the stages of one compile and the snapshot. */
export const snapshot = {
  width: 750,
  height: 216,
  title: 'The stages of a compile, and the parts of the snapshot that they read',
  parts: [
    box([16, 18, 100, 58], ['objects']),
    arrow('M116 47H142'),
    box([146, 18, 140, 58], ['changed', 'objects']),
    arrow('M286 47H312'),
    box([316, 18, 140, 58], ['changed', 'Services']),
    arrow('M456 47H482'),
    box([486, 18, 110, 58], ['address', 'families'], 'change'),
    arrow('M596 47H622'),
    box([626, 18, 108, 58], ['result'], 'end'),
    frame([136, 112, 470, 92], 'snapshot of the previous compile', 188),
    ...[
      [216, 'lists'],
      [386, 'Services'],
      [541, 'families'],
    ].flatMap(([x, text]) => [box([x - 55, 126, 110, 44], [text]), arrow(`M${x} 126V80`)]),
  ],
}

/** Updates of a node: from states to commands in three steps. */
export const nodeUpdate = {
  width: 750,
  height: 354,
  title: 'Two ways to a patch, and the three steps of its commands on the node',
  parts: [
    box([16, 18, 150, 44], ['previous state']),
    box([16, 70, 150, 44], ['next state']),
    arrow('M166 40H196V52H226'),
    arrow('M166 92H196V80H226'),
    box([230, 38, 124, 56], [['code strong', 'diff']], 'change'),
    arrow('M354 66H410'),
    box([16, 140, 150, 44], ['dump of the node']),
    arrow('M166 162H226'),
    arrow('M91 114V127H260V130'),
    box([230, 134, 124, 56], [['code strong', 'reconcile']], 'change'),
    arrow('M354 162H382V86H410'),
    box([414, 44, 100, 62], ['patch']),
    arrow('M514 75H584'),
    box([588, 44, 146, 62], ['commands', ['code', 'toCommands']], 'end'),
    arrow('M661 106V208'),
    frame([12, 212, 726, 130], 'on the node, without an interruption'),
    box(
      [28, 246, 210, 78],
      [
        ['strong', '1. create'],
        ['soft', 'what no rule references yet'],
      ],
    ),
    arrow('M238 285H266'),
    box(
      [270, 246, 210, 78],
      [
        ['strong', '2. switch'],
        ['soft', 'the rules that reference it'],
      ],
      'change',
    ),
    arrow('M480 285H508'),
    box(
      [512, 246, 210, 78],
      [
        ['strong', '3. delete'],
        ['soft', 'what no rule references now'],
      ],
    ),
  ],
}

/** Tracing: handlers at the hooks, and the forks of a path. */
export const tracing = {
  width: 750,
  height: 268,
  title: 'A trace calls the handlers of each hook, and a random choice forks the path',
  parts: [
    frame([12, 10, 150, 104], 'PREROUTING'),
    box(
      [28, 46, 118, 50],
      [
        ['code', 'nat'],
        ['soft', 'handler'],
      ],
      'change',
    ),
    arrow('M162 62H208'),
    box([212, 37, 90, 50], ['routing']),
    arrow('M302 62H348'),
    frame([352, 10, 150, 104], 'FORWARD'),
    box(
      [368, 46, 118, 50],
      [
        ['code', 'filter'],
        ['soft', 'handler'],
      ],
      'stop',
    ),
    arrow('M502 62H548'),
    frame([552, 10, 186, 104], 'POSTROUTING'),
    box(
      [576, 46, 138, 50],
      [
        ['code', 'nat'],
        ['soft', 'handler'],
      ],
      'change',
    ),
    arrow('M60 96V232H208'),
    arrow('M100 96V172H208'),
    label([108, 158], 'half', 'start'),
    label([108, 218], 'half', 'start'),
    box([212, 148, 374, 46], ['path state: destination 10.244.1.5:8080']),
    box([212, 208, 374, 46], ['path state: destination 10.244.2.7:8080']),
  ],
}
