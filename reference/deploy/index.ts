export {
  defaultTool,
  type Project,
  type SourceFile,
  type SourceTree,
  type ToolOptions,
  type ToolParts,
  ToolRefusal,
  type Wrappers,
} from './options.ts'
export { countedSize, packed } from './package.ts'
export { createTool, type PeerCache, type Tool, type ToolHost } from './tool.ts'
