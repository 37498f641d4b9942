import type { Command } from './command.js'

export const explainCommand: Command = {
  name: 'explain',
  summary: 'Trace a packet and explain its outcome.',
  usage: 'explain -f FILE | --cluster | --dump FILE | --live NODE [DESTINATION] [options]',
  description:
    'Traces the first packet of a connection through the rules for the objects of -f, or through the\n' +
    'rules of a live node (--dump). With both, traces the live rules, reports deviations from the\n' +
    'objects, and exits with 1 if there are any. DESTINATION is an address and port, such as\n' +
    '10.96.0.10:53/udp or [fd00::1]:443 (default protocol: tcp); node:30080 for a port of the node;\n' +
    'or a Service: default/web, default/web:http, web.default:80, svc/web -n default.',
  options: async () => (await import('./explain/explain-options.js')).explainOptions,
  examples: [
    'kube-rules explain -f cluster.yaml 10.96.0.10:53/udp --from pod',
    'kube-rules explain -f cluster.yaml default/web:http',
    'kube-rules explain -f cluster.yaml node:30080 --from outside',
    'iptables-save | kube-rules explain --dump - 192.168.0.41:30080 --node-address 192.168.0.41',
    'kube-rules explain --cluster default/web --node node-1',
    'kube-rules explain default/web --live node-1',
    'kube-rules explain -f cluster.yaml --all',
  ],
  exitCodes: [
    ['0', 'The packets were traced.'],
    ['1', 'The rules handle a packet differently than the objects specify.'],
    ['2', 'The usage or the input is invalid, or the outcome of a packet is unknown.'],
  ],
  run: async (context) => (await import('./explain/run-explain.js')).runExplain(context),
}
