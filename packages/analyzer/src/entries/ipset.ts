export { type IpsetProblemCode, parseIpset } from '../dataplane/ipset/parse.js'
