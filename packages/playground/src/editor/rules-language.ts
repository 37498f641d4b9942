import { StreamLanguage } from '@codemirror/language'

/** Words of all the tools' texts: options, chains, addresses, comments. It colours; what rules mean is asked of the library. */
export const rulesLanguage = StreamLanguage.define<object>({
  name: 'rules',
  startState: () => ({}),
  token: (stream) => {
    if (stream.sol() && stream.match(/^(?:#.*|\*\w+|COMMIT)$/)) return 'comment'
    if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return 'string'
    if (stream.match(/^(?:KUBE-[\w-]+|(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)\b)/)) return 'variableName'
    if (
      stream.match(
        /^(?:(?:service|endpoint|external|firewall|affinity|services|nodeport|filter|nat|mark|masquerading|cluster|reject|no)-[\w./-]+)/,
      )
    )
      return 'variableName'
    if (
      stream.match(
        /^(?:ACCEPT|DROP|REJECT|RETURN|DNAT|MARK|MASQUERADE|REDIRECT|accept|drop|reject|return|dnat|masquerade|jump|goto)\b/,
      )
    )
      return 'keyword'
    if (stream.match(/^-{1,2}[A-Za-z][\w-]*/)) return 'propertyName'
    if (stream.match(/^(?:0x[0-9a-f]+(?:\/0x[0-9a-f]+)?|[0-9a-f]*:[0-9a-f:]+|\d+(?:\.\d+){3}|\d+(?:\.\d+)?)(?:\/\d+)?/))
      return 'number'
    if (stream.match(/^[\w./@:-]+/)) return null
    stream.next()
    return null
  },
})
