import ArgumentParser
struct DemoCommand: AsyncParsableCommand { static let configuration = CommandConfiguration(commandName: "demo") }
struct DemoPeerCommand: AsyncParsableCommand { static let configuration = CommandConfiguration(commandName: "demo-peer") }
