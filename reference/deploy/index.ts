export { defaultTool, type Listed, type ToolOptions, type ToolParts, type ToolStyle, type Wrappers } from './options.ts'
export { countedSize, packed } from './package.ts'
export { type EndpointConfig, type Project, type SourceFile, type SourceTree, ToolRefusal } from './project.ts'
export { createTool, type PeerCache, type Tool, type ToolHost } from './tool.ts'
