import SwiftUI

/// The server, and the sign-in.
struct AccountView: View {
    let account: AccountModel
    let calls: CallModel
    @AppStorage("server") private var server = "wss://calls.example.org"
    @AppStorage("name") private var name = ""
    @AppStorage("issuer") private var issuer = ""
    @AppStorage("client") private var clientID = "video-calls"

    var body: some View {
        Form {
            Section("Server") {
                TextField("Server", text: $server)
            }
            if calls.isSignedOut {
                Section("With a name") {
                    TextField("Your name", text: $name)
                    Button("Sign in") { calls.signIn(server: server, name: name) }
                        .disabled(server.isEmpty || name.isEmpty)
                }
                Section("At an identity provider") {
                    TextField("Issuer", text: $issuer)
                    TextField("Client", text: $clientID)
                    Button("Sign in in the browser") {
                        account.signIn(issuer: issuer, clientID: clientID) {
                            calls.signIn(server: server, account: account)
                        }
                    }
                    .disabled(server.isEmpty || issuer.isEmpty || account.isBusy)
                }
            } else {
                Button("Sign out", role: .destructive) {
                    calls.signOut()
                    if account.isSignedIn { account.signOut() }
                }
            }
            ProblemText(problem: account.problem ?? calls.problem)
        }
        .autocorrectionDisabled()
        .navigationTitle("Account")
    }
}
