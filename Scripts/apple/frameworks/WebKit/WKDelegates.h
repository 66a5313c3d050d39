#import <Foundation/Foundation.h>
#import <WebKit/WKNavigation.h>
#import <WebKit/WKWebViewConfiguration.h>

NS_ASSUME_NONNULL_BEGIN

@class WKDownload, WKWebView;

// MARK: Answers

typedef NS_ENUM(NSInteger, WKNavigationActionPolicy) {
    WKNavigationActionPolicyCancel,
    WKNavigationActionPolicyAllow,
    WKNavigationActionPolicyDownload API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0)),
} API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0));

typedef NS_ENUM(NSInteger, WKNavigationResponsePolicy) {
    WKNavigationResponsePolicyCancel,
    WKNavigationResponsePolicyAllow,
    WKNavigationResponsePolicyDownload API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0)),
} API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0));

typedef NS_ENUM(NSInteger, WKPermissionDecision) {
    WKPermissionDecisionPrompt,
    WKPermissionDecisionGrant,
    WKPermissionDecisionDeny,
} API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));

typedef NS_ENUM(NSInteger, WKMediaCaptureType) {
    WKMediaCaptureTypeCamera,
    WKMediaCaptureTypeMicrophone,
    WKMediaCaptureTypeCameraAndMicrophone,
} API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));

// MARK: Navigation

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@protocol WKNavigationDelegate <NSObject>
@optional
- (void)webView:(WKWebView *)webView
    decidePolicyForNavigationAction:(WKNavigationAction *)navigationAction
                    decisionHandler:(void (^NS_SWIFT_UI_ACTOR)(WKNavigationActionPolicy))decisionHandler;
- (void)webView:(WKWebView *)webView
    decidePolicyForNavigationAction:(WKNavigationAction *)navigationAction
                        preferences:(WKWebpagePreferences *)preferences
                    decisionHandler:
                        (void (^NS_SWIFT_UI_ACTOR)(WKNavigationActionPolicy, WKWebpagePreferences *))decisionHandler
    API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0));
- (void)webView:(WKWebView *)webView
    decidePolicyForNavigationResponse:(WKNavigationResponse *)navigationResponse
                      decisionHandler:(void (^NS_SWIFT_UI_ACTOR)(WKNavigationResponsePolicy))decisionHandler;
- (void)webView:(WKWebView *)webView didStartProvisionalNavigation:(null_unspecified WKNavigation *)navigation;
- (void)webView:(WKWebView *)webView
    didReceiveServerRedirectForProvisionalNavigation:(null_unspecified WKNavigation *)navigation;
- (void)webView:(WKWebView *)webView
    didFailProvisionalNavigation:(null_unspecified WKNavigation *)navigation
                       withError:(NSError *)error;
- (void)webView:(WKWebView *)webView didCommitNavigation:(null_unspecified WKNavigation *)navigation;
- (void)webView:(WKWebView *)webView didFinishNavigation:(null_unspecified WKNavigation *)navigation;
- (void)webView:(WKWebView *)webView
    didFailNavigation:(null_unspecified WKNavigation *)navigation
            withError:(NSError *)error;
- (void)webView:(WKWebView *)webView
    didReceiveAuthenticationChallenge:(NSURLAuthenticationChallenge *)challenge
                    completionHandler:
                        (void (^NS_SWIFT_UI_ACTOR)(NSURLSessionAuthChallengeDisposition disposition,
                            NSURLCredential *_Nullable credential))completionHandler;
- (void)webViewWebContentProcessDidTerminate:(WKWebView *)webView API_AVAILABLE(macos(10.11), ios(9.0), visionos(1.0));
- (void)webView:(WKWebView *)webView
     authenticationChallenge:(NSURLAuthenticationChallenge *)challenge
    shouldAllowDeprecatedTLS:(void (^NS_SWIFT_UI_ACTOR)(BOOL))decisionHandler
    API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));
- (void)webView:(WKWebView *)webView
     navigationAction:(WKNavigationAction *)navigationAction
    didBecomeDownload:(WKDownload *)download API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0));
- (void)webView:(WKWebView *)webView
    navigationResponse:(WKNavigationResponse *)navigationResponse
     didBecomeDownload:(WKDownload *)download API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0));
@end

// MARK: Windows, questions and devices

API_AVAILABLE(macos(10.12)) API_UNAVAILABLE(ios, visionos) NS_SWIFT_UI_ACTOR
@interface WKOpenPanelParameters : NSObject
@property (nonatomic, readonly) BOOL allowsMultipleSelection;
@property (nonatomic, readonly) BOOL allowsDirectories;
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@protocol WKUIDelegate <NSObject>
@optional
- (nullable WKWebView *)webView:(WKWebView *)webView
    createWebViewWithConfiguration:(WKWebViewConfiguration *)configuration
               forNavigationAction:(WKNavigationAction *)navigationAction
                    windowFeatures:(WKWindowFeatures *)windowFeatures;
- (void)webViewDidClose:(WKWebView *)webView API_AVAILABLE(macos(10.11), ios(9.0), visionos(1.0));
- (void)webView:(WKWebView *)webView
    runJavaScriptAlertPanelWithMessage:(NSString *)message
                      initiatedByFrame:(WKFrameInfo *)frame
                     completionHandler:(void (^NS_SWIFT_UI_ACTOR)(void))completionHandler;
- (void)webView:(WKWebView *)webView
    runJavaScriptConfirmPanelWithMessage:(NSString *)message
                        initiatedByFrame:(WKFrameInfo *)frame
                       completionHandler:(void (^NS_SWIFT_UI_ACTOR)(BOOL result))completionHandler;
- (void)webView:(WKWebView *)webView
    runJavaScriptTextInputPanelWithPrompt:(NSString *)prompt
                              defaultText:(nullable NSString *)defaultText
                         initiatedByFrame:(WKFrameInfo *)frame
                        completionHandler:(void (^NS_SWIFT_UI_ACTOR)(NSString *_Nullable result))completionHandler;
- (void)webView:(WKWebView *)webView
    requestMediaCapturePermissionForOrigin:(WKSecurityOrigin *)origin
                          initiatedByFrame:(WKFrameInfo *)frame
                                      type:(WKMediaCaptureType)type
                           decisionHandler:(void (^NS_SWIFT_UI_ACTOR)(WKPermissionDecision decision))decisionHandler
    API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));
- (void)webView:(WKWebView *)webView
    runOpenPanelWithParameters:(WKOpenPanelParameters *)parameters
              initiatedByFrame:(WKFrameInfo *)frame
             completionHandler:(void (^NS_SWIFT_UI_ACTOR)(NSArray<NSURL *> *_Nullable URLs))completionHandler
    API_AVAILABLE(macos(10.12)) API_UNAVAILABLE(ios, visionos);
@end

// MARK: Downloads

API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0)) NS_SWIFT_UI_ACTOR
@protocol WKDownloadDelegate <NSObject>
- (void)download:(WKDownload *)download
    decideDestinationUsingResponse:(NSURLResponse *)response
                 suggestedFilename:(NSString *)suggestedFilename
                 completionHandler:(void (^NS_SWIFT_UI_ACTOR)(NSURL *_Nullable destination))completionHandler;
@optional
- (void)downloadDidFinish:(WKDownload *)download;
- (void)download:(WKDownload *)download
    didFailWithError:(NSError *)error
          resumeData:(nullable NSData *)resumeData;
@end

API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKDownload : NSObject
@property (nonatomic, readonly, nullable) NSURLRequest *originalRequest;
@property (nonatomic, weak, nullable) id<WKDownloadDelegate> delegate;
@end

NS_ASSUME_NONNULL_END
